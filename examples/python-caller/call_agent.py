"""Calls a Farebox agent and pays for the job, once.

    pip install eth-account
    PAYER_KEY=0x… python3 call_agent.py https://agent.example shout '{"text": "exact fare"}' 0.01

The arguments are the agent, the capability, its input and the most it may cost in USDC. Everything but the signature
is standard library. docs/wire.md explains each step.
"""

import base64
import http.client
import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.request
import uuid

# The tokens this caller pays with. The domain a wallet signs comes from here, never from the agent that asks.
TOKENS = {
    ("eip155:8453", "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"): ("USD Coin", "2"),
    ("eip155:84532", "0x036cbd53842c5426634e7929541ec2318f3dcf7e"): ("USDC", "2"),
}
MAX_ANSWER_BYTES = 5 * 1024 * 1024
MAX_AUTHORIZATION_SECONDS = 86_400
# After the payment has expired, the agent learns for this long whether the chain has used it.
FINALITY_SECONDS = 120


class JobFailed(Exception):
    """The agent refused or failed the job: nothing was charged."""


class OutcomeUnknown(Exception):
    """No answer in time. The payment may have been used: send the same pair again before you pay for another job."""


def call(agent_url, capability, job_input, max_price_atomic, payer, sign, deadline_seconds=60, keep=None):
    """Does one job and returns (output, transaction); the transaction is None where the agent asks for no payment.

    payer is the address that pays; sign takes EIP-712 typed data and returns 65 bytes of 0x hex. keep is called with
    the request and its payment before they are sent: what it has stored survives a crash, and send_pair takes it up.
    """
    url = agent_url.rstrip("/") + "/execute"
    job_id = str(uuid.uuid4())
    body = json.dumps(
        {
            "service_version": "1.0",
            "job_id": job_id,
            "task": {"capability": capability, "input": job_input},
            "deadline": int(time.time()) + deadline_seconds,
        }
    ).encode()
    status, headers, answer = post(url, body)
    if status != 402:
        return read_outcome(status, headers, answer)
    quote = read_quote(headers.get("PAYMENT-REQUIRED", ""), max_price_atomic)
    header = pay(quote, url, capability, job_id, payer, sign, secrets.token_bytes(16), int(time.time()))
    pair = {"url": url, "body": body.decode(), "header": header, "valid_before": valid_before_of(header)}
    if keep is not None:
        keep(pair)
    return send_pair(pair)


def send_pair(pair):
    """Sends a request with its payment until the agent answers; the same bytes each time, so it is paid once."""
    while True:
        try:
            status, headers, answer = post(pair["url"], pair["body"].encode(), pair["header"])
            is_final = status not in (502, 503, 504)
            retry_seconds = read_retry_after(headers)
        except (OSError, http.client.HTTPException):
            is_final, retry_seconds = False, 2
        if is_final:
            return read_outcome(status, headers, answer)
        if time.time() > pair["valid_before"] + FINALITY_SECONDS:
            raise OutcomeUnknown(pair["url"])
        time.sleep(retry_seconds)


def read_quote(header, max_price_atomic):
    """The first entry of the PAYMENT-REQUIRED header that this caller pays."""
    required = decode_header(header)
    for accepted in required["accepts"]:
        token = (accepted["network"], accepted["asset"].lower())
        if accepted["scheme"] == "exact" and token in TOKENS and int(accepted["amount"]) <= max_price_atomic:
            return {"accepted": accepted, "resource_url": required["resource"]["url"]}
    raise JobFailed("the agent asks for more, or for another token, than this caller pays")


def pay(quote, url, capability, job_id, payer, sign, salt, now):
    """The value of PAYMENT-SIGNATURE: a payment that is good for this job alone."""
    accepted = quote["accepted"]
    valid_seconds = min(int(accepted["maxTimeoutSeconds"]), MAX_AUTHORIZATION_SECONDS)
    authorization = {
        "from": payer.lower(),
        "to": accepted["payTo"].lower(),
        "value": accepted["amount"],
        "validAfter": "0",
        "validBefore": str(now + valid_seconds),
        "nonce": bind_nonce(quote["resource_url"], capability, job_id, salt),
    }
    return encode_header(
        {
            "x402Version": 2,
            "resource": {"url": quote["resource_url"], "description": capability, "mimeType": "application/json"},
            "accepted": accepted,
            "payload": {
                "authorization": authorization,
                "signature": sign(typed_data(accepted["network"], accepted["asset"].lower(), authorization)),
            },
            "extensions": {"farebox-nonce": {"salt": "0x" + salt.hex()}},
        }
    )


def bind_nonce(endpoint, capability, job_id, salt):
    """"fare", then 28 bytes of a hash that names the job: no other job can be paid with it."""
    named = (endpoint + capability + job_id.lower()).encode() + salt
    return "0x" + (b"fare" + keccak256(named)[:28]).hex()


def typed_data(network, asset, authorization):
    """What the payer signs: EIP-3009 TransferWithAuthorization of the token."""
    name, version = TOKENS[(network, asset)]
    numbers = {key: int(authorization[key]) for key in ("value", "validAfter", "validBefore")}
    return {
        "types": {
            "EIP712Domain": fields("string name, string version, uint256 chainId, address verifyingContract"),
            "TransferWithAuthorization": fields(
                "address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce"
            ),
        },
        "primaryType": "TransferWithAuthorization",
        "domain": {
            "name": name,
            "version": version,
            "chainId": int(network.removeprefix("eip155:")),
            "verifyingContract": asset,
        },
        "message": {**authorization, **numbers},
    }


def fields(text):
    return [dict(zip(("type", "name"), field.split(" "))) for field in text.split(", ")]


def read_outcome(status, headers, answer):
    """(output, transaction) of a delivered job; otherwise raises what the agent said."""
    try:
        answered = json.loads(answer)
    except ValueError:
        answered = None
    if not isinstance(answered, dict):
        raise JobFailed(f"HTTP {status}, and no answer of an agent")
    if status != 200 or answered.get("status") != "completed":
        raise JobFailed(f"HTTP {status} {answered.get('error_type', '')}: {answered.get('error', '')}")
    receipt = headers.get("PAYMENT-RESPONSE")
    return answered["output"], decode_header(receipt)["transaction"] if receipt else None


def post(url, body, payment=None):
    """One request: (status, headers, body). Headers are found in any case."""
    headers = {"Content-Type": "application/json"}
    if payment is not None:
        headers["PAYMENT-SIGNATURE"] = payment
    request = urllib.request.Request(url, body, headers, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=120) as response:
            return response.status, response.headers, response.read(MAX_ANSWER_BYTES)
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code, refused.headers, refused.read(MAX_ANSWER_BYTES)


def read_retry_after(headers):
    try:
        return min(30, max(1, int(headers.get("Retry-After", "2"))))
    except ValueError:
        return 2


def valid_before_of(header):
    return int(decode_header(header)["payload"]["authorization"]["validBefore"])


def encode_header(value):
    return base64.b64encode(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()).decode()


def decode_header(header):
    try:
        return json.loads(base64.b64decode(header + "=" * (-len(header) % 4), validate=True))
    except ValueError as error:
        raise JobFailed("the agent's header is not base64 of JSON") from error


def keccak256(data):
    """Keccak-256 as Ethereum has it; hashlib's sha3_256 pads differently."""
    rate = 136
    padded = bytearray(data) + b"\x01" + bytes(-(len(data) + 1) % rate)
    padded[-1] |= 0x80
    lanes = [0] * 25
    for start in range(0, len(padded), rate):
        for index in range(rate // 8):
            lanes[index] ^= int.from_bytes(padded[start + 8 * index : start + 8 * index + 8], "little")
        permute(lanes)
    return b"".join(lane.to_bytes(8, "little") for lane in lanes[:4])


def permute(lanes):
    """Keccak-f[1600], in place; the lane of (x, y) is at x + 5 y."""
    lfsr = 1
    for _ in range(24):
        parity = [lanes[x] ^ lanes[x + 5] ^ lanes[x + 10] ^ lanes[x + 15] ^ lanes[x + 20] for x in range(5)]
        for index in range(25):
            x = index % 5
            lanes[index] ^= parity[(x + 4) % 5] ^ rotate(parity[(x + 1) % 5], 1)
        x, y, moved = 1, 0, lanes[1]
        for step in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            lanes[x + 5 * y], moved = rotate(moved, (step + 1) * (step + 2) // 2 % 64), lanes[x + 5 * y]
        for row in range(0, 25, 5):
            old = lanes[row : row + 5]
            for x in range(5):
                lanes[row + x] = old[x] ^ (~old[(x + 1) % 5] & old[(x + 2) % 5])
        for bit in range(7):
            lanes[0] ^= (lfsr & 1) << ((1 << bit) - 1)
            lfsr = (lfsr << 1) ^ (0x171 if lfsr & 0x80 else 0)


def rotate(lane, bits):
    return ((lane << bits) | (lane >> (64 - bits))) & 0xFFFFFFFFFFFFFFFF


def key_signer(private_key):
    """(address, sign) of a private key: the only lines that need a package."""
    from eth_account import Account

    account = Account.from_key(private_key)
    return account.address, lambda data: "0x" + account.sign_typed_data(full_message=data).signature.hex().removeprefix("0x")


def main():
    agent_url, capability, job_input, max_price = sys.argv[1:]
    payer, sign = key_signer(os.environ["PAYER_KEY"])
    whole, _, decimals = max_price.partition(".")
    max_price_atomic = int(whole + decimals.ljust(6, "0"))
    output, transaction = call(agent_url, capability, json.loads(job_input), max_price_atomic, payer, sign)
    print(json.dumps(output, indent=2))
    print(f"paid in {transaction}" if transaction else "not paid: the agent runs in dev mode", file=sys.stderr)


if __name__ == "__main__":
    main()
