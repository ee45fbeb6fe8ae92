import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import type { FieldMap } from '@farebox/protocol/fields/field'
import { codeInput } from '@farebox/web/src/quick-execute/code/code-input'
import {
  curlSample,
  pythonSample,
  typescriptSample,
  type SampleCall,
} from '@farebox/web/src/quick-execute/code/code-samples'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPython, runPython } from './stage/python-caller.ts'
import { setStage, type Stage } from './stage/stage.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const FIELDS: FieldMap = {
  text: { type: 'string', required: true },
  wait_ms: { type: 'integer', default: 0 },
  tell_url: { type: 'string', required: false },
}
const INPUTS = [
  ['an empty form', {}, 'text'],
  ['a filled form', { text: 'it\'s "here" \\ $HOME\n' }, 'it\'s "here" \\ $HOME\n'],
] as const

describe.each(INPUTS)('the code on the page, with %s', (_, typed, text) => {
  let stage: Stage
  let call: SampleCall

  beforeAll(async () => {
    stage = await setStage()
    const facilitator = await stage.facilitator()
    const secret = await stage.secret(facilitator, [TEST_KEYS.agent.address])
    const config = 'e2e/agents/counted/agent.json'
    const { url } = await stage.agent({ config, facilitator, secret, name: 'samples', store: 'memory:' })
    call = { endpoint: url, capability: 'tell', price: '0.01', input: codeInput(FIELDS, typed, undefined) }
  })
  afterAll(() => stage.strike())

  test('TypeScript pays for the job', async () => {
    const program = `
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
const signer = privateKeySigner(await loadEvmCrypto(), ${JSON.stringify(TEST_KEYS.payer.privateKey)})
${typescriptSample(call)}
console.log(JSON.stringify([output.text, payment.transaction]))`
    const { stdout } = await promisify(execFile)('node', ['--input-type=module', '-e', program], {
      cwd: here,
    })
    expect(JSON.parse(stdout)).toEqual([text, expect.stringMatching(/^0x[0-9a-f]{64}$/)])
  })

  test('curl gets 402 and the price', async () => {
    const { stdout } = await promisify(execFile)('bash', ['-c', curlSample(call)])
    expect(stdout).toMatch(/^HTTP\/1\.1 402 /)
    expect(JSON.parse(stdout.slice(stdout.indexOf('\r\n\r\n')))).toMatchObject({
      accepts: [{ maxAmountRequired: '10000' }],
    })
  })

  test.skipIf(!hasPython)('Python pays for the job with a session that pays a 402', async () => {
    const said = await runPython(`
class Answer:
    def __init__(self, output): self.output = output
    def json(self): return {"output": self.output}
class Session:
    def post(self, url, json):
        output, _ = call_agent.call(url.removesuffix("/execute"), json["task"]["capability"], json["task"]["input"],
            10_000, ${JSON.stringify(TEST_KEYS.payer.address)}, sign)
        return Answer(output)
session, said = Session(), print
import builtins
print = lambda output: said(builtins.__import__("json").dumps(output["text"]))
${pythonSample(call)}`)
    expect(said).toBe(text)
  })
})
