import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { hashTypedData, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startLossyProxy } from './stage/proxies/lossy-proxy.ts'
import { transfersTo } from './stage/pay.ts'
import { hasPython, runPython } from './stage/python-caller.ts'
import { setStage, type Stage } from './stage/stage.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
test('the vector in docs/wire.md matches the signature of viem', async () => {
  const vector = JSON.parse(await readFile(`${root}docs/wire-vector.json`, 'utf8'))
  const account = privateKeyToAccount(vector.private_key)
  expect(account.address.toLowerCase()).toBe(vector.payer)
  expect(keccak256(vector.nonce.preimage)).toBe(vector.nonce.keccak256)
  expect(hashTypedData(vector.typed_data)).toBe(vector.digest)
  expect(await account.signTypedData(vector.typed_data)).toBe(vector.signature)
})

test('docs/wire.md has the values of its vector', async () => {
  const page = await readFile(`${root}docs/wire.md`, 'utf8')
  const vector = JSON.parse(await readFile(`${root}docs/wire-vector.json`, 'utf8'))
  const { salt, keccak256: hash, nonce } = vector.nonce
  for (const value of [
    salt,
    hash,
    nonce,
    vector.domain_separator,
    vector.digest,
    vector.signature.slice(0, 20),
  ])
    expect(page).toContain(value)
  const blocks = [...page.matchAll(/```json\n([\s\S]*?)\n```/g)].map(([, json = '']) => JSON.parse(json))
  expect(blocks).toContainEqual(JSON.parse(vector.request.body))
  expect(blocks).toContainEqual(JSON.parse(vector.payment_required.body))
  expect(blocks).toContainEqual(JSON.parse(vector.payment_required.header_json))
})

describe.skipIf(!hasPython)('the Python caller', () => {
  let stage: Stage
  let url: string

  beforeAll(async () => {
    stage = await setStage()
    const facilitator = await stage.facilitator()
    const secret = await stage.secret(facilitator, [TEST_KEYS.agent.address])
    const config = 'e2e/agents/counted/agent.json'
    url = (await stage.agent({ config, facilitator, secret, name: 'python', store: 'memory:' })).url
  })
  afterAll(() => stage.strike())

  test('builds the header of the vector, byte for byte', async () => {
    const made = await runPython(`
vector = json.load(open("docs/wire-vector.json"))
salt = bytes.fromhex(vector["nonce"]["salt"][2:])
job_id = json.loads(vector["request"]["body"])["job_id"]
quote = call_agent.read_quote(vector["payment_required"]["header"], 1000)
header = call_agent.pay(quote, vector["request"]["url"], "shout", job_id, vector["payer"],
                        lambda data: vector["signature"], salt, 1_800_000_000)
print(json.dumps(header == vector["payment_signature"]["header"]))
`)
    expect(made).toBe(true)
  })

  test('pays a running agent once, and gets the same answer when the same pair is sent again', async () => {
    const before = await transfersTo(stage, TEST_KEYS.agent.address)
    const proxy = await startLossyProxy(stage, url)
    const [output, transaction, again] = (await runPython(`
pairs = []
output, transaction = call_agent.call(${JSON.stringify(proxy.url)}, "tell", {"text": "hello"}, 10_000,
    ${JSON.stringify(TEST_KEYS.payer.address)}, sign, keep=pairs.append)
again = call_agent.send_pair(pairs[0])
print(json.dumps([output, transaction, again[0]]))
`)) as [{ text: string }, string, unknown]
    expect(output.text).toBe('hello')
    expect(transaction).toMatch(/^0x[0-9a-f]{64}$/)
    expect(again).toEqual(output)
    expect(new Set(proxy.payments).size).toBe(1)
    expect(await transfersTo(stage, TEST_KEYS.agent.address)).toBe(before + 1)
  })

  test('does not sign for more than its maximum', async () => {
    const said = await runPython(`
try:
    call_agent.call(${JSON.stringify(url)}, "tell", {"text": "hello"}, 9_999, "0x", sign)
except call_agent.JobFailed as refused:
    print(json.dumps(str(refused)))
`)
    expect(said).toContain('asks for more')
  })
})
