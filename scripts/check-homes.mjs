// An act has one home. Each row names an act that moves money, or a number that two sides must agree on, by the text that
// does it, and the files that may hold that text; all others import it. Tests may do as they like.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Explained } from './prepare.mjs'

const HOMES = [
  {
    act: 'signing a payment',
    text: /\bsignPayment\(/,
    homes: [
      'packages/client/src/pay/sign-for-job.ts',
      'packages/payments/src/x402/sign-payment.ts',
      // Signs what is wrong, too.
      'packages/conformance/src/agent/check/forge-payment.ts',
    ],
  },
  {
    act: 'encoding a contract call',
    // A selector: four bytes as a literal.
    text: /'0x[0-9a-f]{8}'/,
    homes: [
      'packages/contracts/src/',
      // The hot path of settlement, measured.
      'packages/facilitator/src/chain/',
      // EIP-3009, by packages below and beside the contracts.
      'packages/payments/src/chain/find-settlement.ts',
      'packages/client/src/cancel-authorization.ts',
      // Stands outside: it must not share a mistake with the facilitator that it examines.
      'packages/conformance/src/facilitator/',
    ],
  },
  {
    act: 'choosing the nonce of a transaction',
    text: /'eth_getTransactionCount'/,
    homes: [
      'packages/payments/src/transaction/read-account.ts',
      // The wallet of the pages, which no program of ours holds.
      'apps/web/src/wallet/',
      // Names the method to let it pass.
      'packages/platform-api/src/wallets.ts',
      'packages/local/src/chain/chain-door.ts',
      'packages/conformance/src/facilitator/',
    ],
  },
  {
    act: 'the margin for settling',
    text: /\bSETTLE\w*SECONDS\s*=/,
    homes: ['packages/protocol/src/limits.ts'],
  },
  {
    act: 'the stake of an agent',
    text: /\b\w*STAKE\w*WEI\w*\s*=/,
    homes: ['packages/contracts/src/calls/registry-calls.ts'],
  },
  {
    act: 'the longest validity of a payment',
    text: /\bMAX_AUTHORIZATION\w*\s*=/,
    homes: ['packages/protocol/src/limits.ts'],
  },
  {
    act: 'how long an agent keeps a response',
    text: /\bRESPONSE_KEPT\w*\s*=/,
    homes: ['packages/protocol/src/limits.ts'],
  },
]

const FOR_TESTS = /\.test\.tsx?$|\.test-setup\.ts$|\.child\.ts$|\/test-setup\/|\/testing\//
const COMMENT = /\/\*[\s\S]*?\*\/|\/\/.*/g

/**
 * Throws naming each file that does what another file is the home of.
 *
 * @param {string} root
 * @returns {number} how many acts have a home
 */
export function checkHomes(root) {
  const faults = []
  for (const file of sources(root)) {
    const code = readFileSync(join(root, file), 'utf8').replaceAll(COMMENT, '')
    for (const { act, text, homes } of HOMES)
      if (text.test(code) && !homes.some(home => file.startsWith(home)))
        faults.push(`${file}: ${act} is for ${homes[0]} to do (scripts/check-homes.mjs)`)
  }
  if (faults.length > 0) throw new Explained(faults.join('\n'))
  return HOMES.length
}

function sources(root) {
  const words = ['ls-files', '--cached', '--others', '--exclude-standard']
  const all = execFileSync('git', [...words, 'packages/*.ts', 'apps/*.ts', 'apps/*.tsx'], {
    cwd: root,
    encoding: 'utf8',
  })
  return all
    .split('\n')
    .filter(file => /\/src\//.test(file) && !FOR_TESTS.test(file) && existsSync(join(root, file)))
}
