"""Asks the subnet administrator of a fabric, under ibsim (LD_PRELOAD), for the path record of every pair of channel
adapters' ports, and prints the service levels as OpenSM's plug-in dump_pr writes them.

    ask_path_records.py LFTS        LFTS: opensm-lfts.dump, which says what LIDs there are
"""
import ctypes
import pathlib
import re
import struct
import sys

MAD, GET, PATH_RECORD, DLID_AND_SLID = 256, 1, 0x35, 0x30
SA_CLASS, SA_VERSION, QKEY, MILLISECONDS = 3, 2, 0x80010000, 5000
DATA = 56  # where the record begins in a MAD
SM_LID = 32  # in what umad_get_port gives


class Administrator:
    def __init__(self):
        self.umad = umad = ctypes.CDLL("libibumad.so.3")
        umad.umad_get_mad.restype = ctypes.c_void_p
        umad.umad_init()
        port = ctypes.create_string_buffer(4096)
        if umad.umad_get_port(None, 0, port) < 0:
            sys.exit("there is no port")
        self.lid = struct.unpack_from("I", port, SM_LID)[0]
        self.port = umad.umad_open_port(None, 0)
        self.agent = umad.umad_register(self.port, SA_CLASS, SA_VERSION, 0, None)
        self.buffer = ctypes.create_string_buffer(umad.umad_size() + MAD)
        self.next = 1

    def ask(self, source, destination):
        """The service level, or None."""
        umad, buffer = self.umad, self.buffer
        record = struct.pack(">40xHH", destination, source)
        head = struct.pack(">BBBBHHQHHI", 1, SA_CLASS, SA_VERSION, GET, 0, 0, self.next, PATH_RECORD, 0, 0)
        mad = head + bytes(24) + struct.pack(">Q", DLID_AND_SLID) + record
        self.next += 1
        ctypes.memset(buffer, 0, len(buffer))
        umad.umad_set_addr(buffer, self.lid, 1, 0, QKEY)
        ctypes.memmove(umad.umad_get_mad(buffer), mad, len(mad))
        if umad.umad_send(self.port, self.agent, buffer, MAD, MILLISECONDS, 1) < 0:
            sys.exit("cannot send")
        length = ctypes.c_int(MAD)
        if umad.umad_recv(self.port, buffer, ctypes.byref(length), MILLISECONDS) < 0:
            sys.exit(f"no answer for {source} to {destination}")
        answer = ctypes.string_at(umad.umad_get_mad(buffer), MAD)
        status, level = struct.unpack_from(">H", answer, 4)[0], answer[DATA + 53] & 15
        return None if status else level


def main():
    text = pathlib.Path(sys.argv[1]).read_text()
    found = re.findall(r"^(0x\w+) \d+ # Channel Adapter portguid (0x\w+): '(.*)'$", text, re.M)
    ends = {lid: (guid, name) for lid, guid, name in found}
    administrator = Administrator()
    for source, (guid, name) in ends.items():
        print(f"Channel Adapter {guid}, base LID {int(source, 16)}, \"{name}\", port 1")
        print("# LID  : SL : MTU : RATE")
        for destination in ends:
            level = None if source == destination else administrator.ask(int(source, 16), int(destination, 16))
            if level is not None:
                print(f"0x{int(destination, 16):04X} : {level:<2d} : 4   : 3")


main()
