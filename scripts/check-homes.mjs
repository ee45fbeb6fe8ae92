// Each of these acts has one home. A row names an act that moves money, or a number on which two sides must agree, by a
// text in its code, and the files that may contain that text; all others import it. Tests are exempt.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listFiles } from './list-files.mjs'
import { Explained } from './prepare.mjs'

const HOMES = [
  {
    act: 'signing a payment',
    text: /\bsignPayment\(/,
    homes: [
      'packages/client/src/pay/sign-for-job.ts',
      'packages/payments/src/x402/sign-payment.ts',
      // Signs invalid payments, too.
      'packages/conformance/src/agent/check/forge-payment.ts',
    ],
  },
  {
    act: 'encoding a contract call',
    // A selector, four bytes as a literal, or the function of an ABI coder.
    text: /'0x[0-9a-f]{8}'|\b(?:encodeData|encodeFunctionData)\(/,
    homes: [
      'packages/contracts/src/',
      // The hot path of settlement, which is measured.
      'packages/facilitator/src/chain/',
      // EIP-3009, by packages below and beside the contracts.
      'packages/payments/src/chain/find-settlement.ts',
      'packages/client/src/cancel-authorization.ts',
      // Independent on purpose: it must not share a mistake with the facilitator that it tests.
      'packages/conformance/src/facilitator/',
    ],
  },
  {
    act: 'choosing the nonce of a transaction',
    text: /'eth_getTransactionCount'/,
    homes: [
      'packages/payments/src/transaction/read-account.ts',
      // The wallet of the pages, whose key no program of ours holds.
      'apps/web/src/wallet/',
      // Names the method to allow it.
      'packages/platform-api/src/wallets.ts',
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
  {
    act: 'a clock, and how to wait by one',
    text: /\binterface Clock\b|: Clock = \{|\bfunction (?:sleep|nowSeconds)\(/,
    homes: ['packages/protocol/src/time/'],
  },
]

const FOR_TESTS = /\.test\.tsx?$|\.test-setup\.ts$|\.child\.ts$|\/test-setup\/|\/testing\//
/** A line comment begins its line or follows a space, so `https://` does not count. */
const COMMENT = /\/\*\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm

/**
 * Throws naming each file that does what another file is the home of.
 *
 * @param {string} root
 * @returns {number} how many acts have a home
 */
export function checkHomes(root) {
  const faults = []
  const seen = new Set()
  for (const file of sources(root)) {
    const code = readFileSync(join(root, file), 'utf8').replaceAll(COMMENT, '')
    for (const { act, text, homes } of HOMES) {
      if (!text.test(code)) continue
      const home = homes.find(place => file.startsWith(place))
      if (home === undefined)
        faults.push(`${file}: ${act} is for ${homes[0]} to do (scripts/check-homes.mjs)`)
      else seen.add(`${act} ${home}`)
    }
  }
  // A row that finds nothing in its home would never find anything elsewhere.
  for (const { act, homes } of HOMES)
    for (const home of homes)
      if (!seen.has(`${act} ${home}`)) faults.push(`scripts/check-homes.mjs: nothing of ${act} is in ${home}`)
  if (faults.length > 0) throw new Explained(faults.join('\n'))
  return HOMES.length
}

function sources(root) {
  return listFiles(root, 'packages/*.ts', 'apps/*.ts', 'apps/*.tsx').filter(
    file => /\/src\//.test(file) && !FOR_TESTS.test(file),
  )
}
