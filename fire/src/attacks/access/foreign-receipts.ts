import { generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signReceipt, type Receipt } from '@farebox/platform-api/receipt'
import { startCli } from '../../../../e2e/stage/run-cli.ts'
import { serve } from '../../../../e2e/stage/serve.ts'
import type { Attack } from '../attack.ts'

const CLAIMED = 'https://platform.example'

/** A platform signs receipts in the name of another one; its keys are asked for by URL (row 24). */
export const foreignReceipts: Attack = {
  name: 'a receipt in the name of another platform',
  before: 'valid, with exit code 0',
  async run() {
    const folder = await mkdtemp(join(tmpdir(), 'farebox-receipts-'))
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const key = { keyId: 'a', privateJwk: privateKey.export({ format: 'jwk' }) }
    const keys = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'a' }] })
    const site = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(keys)
    })
    try {
      await writeFile(join(folder, 'foreign.jws'), await signReceipt(statementOf(CLAIMED), key))
      await writeFile(join(folder, 'own.jws'), await signReceipt(statementOf(site.url), key))
      const verify = async (file: string): Promise<string> => {
        const words = ['verify-receipt', file, '--keys', `${site.url}/.well-known/jwks.json`]
        const { code, out } = await startCli(words, { folder, environment: { HOME: folder } }).ended
        return `${out.includes('✓ valid') ? 'valid' : 'not valid'} (exit code ${code})`
      }
      const [foreign, own] = [await verify('foreign.jws'), await verify('own.jws')]
      return [
        {
          test: `a receipt of ${CLAIMED} with keys of another platform`,
          reached: foreign,
          target: 'not valid (exit code 1)',
          isMet: foreign === 'not valid (exit code 1)',
        },
        {
          test: 'a receipt of the platform that publishes the keys',
          reached: own,
          target: 'valid (exit code 0)',
          isMet: own === 'valid (exit code 0)',
        },
      ]
    } finally {
      await site.stop()
      await rm(folder, { recursive: true, force: true })
    }
  },
}

function statementOf(iss: string): Receipt {
  const hash = 'a0'.repeat(32)
  return {
    v: 1,
    iss,
    job: hash,
    agent_id: 7,
    endpoint: 'https://agent.example',
    capability: 'count',
    input: hash,
    output: hash,
    amount: '0.002',
    amount_atomic: '2000',
    asset: '0x036cbd53842c5426634e7929541ec2318f3dcf7e',
    network: 'eip155:84532',
    payer: `0x${'ab'.repeat(20)}`,
    pay_to: `0x${'cd'.repeat(20)}`,
    transaction: `0x${'ef'.repeat(32)}`,
    completed_at: 1_795_000_000,
    iat: 1_795_000_001,
  }
}
