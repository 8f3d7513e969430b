# SPDX-License-Identifier: MIT
# claim.rb URL ORDERS: claims every job and prints its id and token, one job a line. The jobs must
# come in the order in which they were minted, with the payloads of the .ndjson file byte for byte.

require "echomq"
require "json"

def payload(line)
  form, value = JSON.parse(line).first
  case form
  when "payload" then value.b
  when "payload_base64" then value.unpack1("m0")
  when "payload_repeat" then value["text"].b * value["count"]
  else abort "no such form of payload: #{form}"
  end
end

url, orders = ARGV
$stdout.sync = true
expected = File.foreach(orders, encoding: "UTF-8").map { |line| payload(line) }

client = EchoMQ.connect(url)
queue = client.queue("orders")
ids = []
while (job = queue.claim(lease: 60.0))
  abort "#{job.id} came after #{ids.last}, out of mint order" if ids.any? && job.id <= ids.last
  abort "#{job.id}: not the payload of line #{ids.size + 1}" if job.payload.b != expected[ids.size]
  ids << job.id
  puts "#{job.id} #{job.token}"
end
abort "#{ids.size} of #{expected.size} orders came" if ids.size < expected.size
client.close
