#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes orders.ndjson: a thousand payloads as a shop and its neighbours would enqueue them.

    make_orders.py           writes the file beside this program
    make_orders.py --check   ends with 1 unless the file is what would be written

README.md says how a line holds its payload. The file is the same on every machine: the generator
is seeded, and uses nothing of `random` but random(), whose sequence is fixed for a seed."""

import base64
import json
import pathlib
import random
import sys

COUNT = 1000
SEED = 20240101
FILE = pathlib.Path(__file__).resolve().with_name("orders.ndjson")

# Orders of people, with odd ones among them: at which places, and what kind.
EMPTY = 411
LARGE = 742
LARGE_TEXT = "sku;quantity;unit price;warehouse;shelf;checked by\r\n" + "7" * 12
LARGE_COUNT = (1 << 20) // 64
LATIN1_EVERY, BINARY_EVERY = 37, 53

CUSTOMERS = ("Ada Lindqvist", "Zoë Müller", "José Ñañez", "Søren Ærø", "渡辺 恵子", "Ольга Ершова",
             "Γιώργος Παππάς", "مريم حداد", "Siobhán O’Brien", "Nguyễn Thị Hạnh", "דנה לוי",
             "Łukasz Żak")
GOODS = (("TEA-250", "Assam tea, 250 g", 649), ("MUG-BLU", "Mug, blue", 1150),
         ("KET-17", "Kettle, 1.7 l", 3990), ("LMP-E27", "Lamp, E27, 8 W", 475),
         ("PEN-03", "Pencil, 3 pieces", 299), ("CBL-USBC", "Cable, USB-C, 2 m", 899),
         ("BKS-012", "“Kalevala”, bound", 2400), ("GLV-M", "Gloves, size M", 1595))
CURRENCIES = ("EUR", "SEK", "GBP", "JPY", "PLN")
NOTES = ("", "", "", "leave at the door", "2nd floor, bell \"Müller\"", "gift 🎁, no invoice inside",
         "call first:\n+46 70 000 00 00", "100 % cotton? else cancel", "path C:\\in\\orders")


class Dice:
    def __init__(self, seed):
        self._random = random.Random(seed).random

    def below(self, bound):
        return int(self._random() * bound)

    def one_of(self, things):
        return things[self.below(len(things))]


def order(dice, index):
    items = []
    for _ in range(1 + dice.below(4)):
        sku, name, cents = dice.one_of(GOODS)
        items.append({"sku": sku, "name": name, "quantity": 1 + dice.below(5), "cents": cents})
    minute = index * 3 + dice.below(3)
    day, hour = 1 + minute // 1440, minute // 60 % 24
    return {
        # Nearly 2^57: whoever reads it as a double loses its last digits.
        "order": 144115188075850000 + index * 17,
        "placed": "2024-03-%02dT%02d:%02d:00Z" % (day, hour, minute % 60),
        "customer": dice.one_of(CUSTOMERS),
        "currency": dice.one_of(CURRENCIES),
        "items": items,
        "total_cents": sum(item["quantity"] * item["cents"] for item in items),
        "note": dice.one_of(NOTES),
    }


def line(dice, index):
    made = order(dice, index)
    if index == EMPTY:
        return {"payload": ""}
    if index == LARGE:
        return {"payload_repeat": {"text": LARGE_TEXT, "count": LARGE_COUNT}}
    if index % BINARY_EVERY == 7:  # a scale's record: a header with NULs, then bytes of any value
        body = bytes(dice.below(256) for _ in range(16 + dice.below(48)))
        blob = b"SCALE\0\0" + index.to_bytes(4, "big") + b"\0\xff\xfe" + body
        return {"payload_base64": base64.b64encode(blob).decode()}
    if index % LATIN1_EVERY == 3:  # an export of an old till: Latin-1, which is not valid UTF-8
        text = "Bestellung;%d;M\xfcller & S\xf6hne;%d\r\n" % (index, made["total_cents"])
        return {"payload_base64": base64.b64encode(text.encode("latin-1")).decode()}
    return {"payload": json.dumps(made, ensure_ascii=False, separators=(",", ":"))}


def lines():
    dice = Dice(SEED)
    for index in range(COUNT):
        yield json.dumps(line(dice, index), ensure_ascii=False) + "\n"


def main():
    data = "".join(lines()).encode()
    if sys.argv[1:] == ["--check"]:
        if not FILE.exists() or FILE.read_bytes() != data:
            sys.exit("%s is not what %s makes" % (FILE.name, pathlib.Path(__file__).name))
        print("%s: %d payloads, as generated" % (FILE.name, COUNT))
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        FILE.write_bytes(data)


if __name__ == "__main__":
    main()
