import sys
import echomq

client = echomq.connect(*sys.argv[1:])
orders = client.queue("orders")
orders.enqueue(b"2 x tea")
job = orders.claim(lease=30)
print(job.id, job.payload, job.complete())
