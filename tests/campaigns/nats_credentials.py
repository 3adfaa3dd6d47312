"""Certificates and credentials for a broker, made with openssl alone: a CA with certificates of hosts and clients, and an operator with an
account and a user, as NATS signs them (ed25519 keys in base32, JSON web tokens)."""

import base64
import json
import os
import subprocess

PREFIX = {"operator": 14 << 3, "account": 0, "user": 20 << 3}
SEED = 18 << 3


def openssl(folder, *words, text=None):
    return subprocess.run(["openssl", *words], cwd=folder, input=text, check=True, capture_output=True).stdout


def certificate_authority(folder, name):
    openssl(folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
            "-keyout", name + ".key", "-out", name + ".crt")


def certificate(folder, authority, name, names):
    """`names` as openssl writes them: IP:127.0.0.1,DNS:localhost."""
    openssl(folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-keyout", name + ".key",
            "-out", name + ".csr")
    with open(os.path.join(folder, name + ".ext"), "w", encoding="utf-8") as file:
        file.write(f"subjectAltName={names}\n")
    openssl(folder, "x509", "-req", "-in", name + ".csr", "-CA", authority + ".crt", "-CAkey", authority + ".key", "-CAcreateserial", "-days",
            "2", "-extfile", name + ".ext", "-out", name + ".crt")


def checksum(data):
    """CRC-16 with the polynomial 0x1021, from 0, low byte first."""
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xffff
    return bytes((crc & 255, crc >> 8))


def base32(data):
    return base64.b32encode(data + checksum(data)).decode().rstrip("=")


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Key:
    def __init__(self, folder, kind):
        self.folder, self.kind, self.file = folder, kind, f"{kind}-{os.urandom(4).hex()}.pem"
        openssl(folder, "genpkey", "-algorithm", "ed25519", "-out", self.file)
        seed = openssl(folder, "pkey", "-in", self.file, "-outform", "DER")[-32:]
        public = openssl(folder, "pkey", "-in", self.file, "-pubout", "-outform", "DER")[-32:]
        prefix = PREFIX[kind]
        self.public = base32(bytes([prefix]) + public)
        self.seed = base32(bytes([SEED | prefix >> 5, (prefix & 31) << 3]) + seed)

    def token(self, subject, claims):
        """What this key says of another."""
        body = {"jti": os.urandom(16).hex(), "iat": 1700000000, "iss": self.public, "name": subject.kind, "sub": subject.public,
                "nats": {**claims, "type": subject.kind, "version": 2}}
        text = ".".join(base64url(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ed25519-nkey"}, body))
        with open(os.path.join(self.folder, "signed"), "w", encoding="utf-8") as file:
            file.write(text)
        return text + "." + base64url(openssl(self.folder, "pkeyutl", "-sign", "-rawin", "-inkey", self.file, "-in", "signed"))


UNLIMITED = {"subs": -1, "data": -1, "payload": -1}
ACCOUNT = {**UNLIMITED, "imports": -1, "exports": -1, "wildcards": True, "conn": -1, "leaf": -1}
JETSTREAM = {"mem_storage": -1, "disk_storage": -1, "streams": -1, "consumer": -1, "max_ack_pending": -1}


def operator(folder):
    """The broker's configuration, and the path of a user's .creds file."""
    chief, account, system, user = Key(folder, "operator"), Key(folder, "account"), Key(folder, "account"), Key(folder, "user")
    tokens = {system.public: chief.token(system, {"limits": ACCOUNT}),
              account.public: chief.token(account, {"limits": {**ACCOUNT, **JETSTREAM}})}
    user_token = account.token(user, {"pub": {}, "sub": {}, **UNLIMITED})
    with open(os.path.join(folder, "operator.jwt"), "w", encoding="utf-8") as file:
        file.write(chief.token(chief, {}))
    creds = os.path.join(folder, "user.creds")
    with open(creds, "w", encoding="utf-8") as file:
        file.write(f"-----BEGIN NATS USER JWT-----\n{user_token}\n------END NATS USER JWT------\n\n"
                   f"-----BEGIN USER NKEY SEED-----\n{user.seed}\n------END USER NKEY SEED------\n")
    preload = "\n".join(f"  {key}: {token}" for key, token in tokens.items())
    return f'operator: "{folder}/operator.jwt"\nsystem_account: {system.public}\nresolver: MEMORY\nresolver_preload {{\n{preload}\n}}\n', creds
