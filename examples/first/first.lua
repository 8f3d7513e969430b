local echomq = require "echomq"

local client = assert(echomq.connect(arg[1]))
local orders = client:queue("orders")
assert(orders:enqueue("2 x tea"))
local job = assert(orders:claim({lease = 30}))
print(job.id, job.payload, job:complete())
