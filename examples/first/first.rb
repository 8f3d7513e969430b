require "echomq"

client = EchoMQ.connect(*ARGV)
orders = client.queue("orders")
orders.enqueue("2 x tea")
job = orders.claim(lease: 30)
puts "#{job.id} #{job.payload} #{job.complete}"
