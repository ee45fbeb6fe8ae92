import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { findNetwork } from '@farebox/payments/networks'
import { maxTimeoutSeconds } from '@farebox/payments/x402/requirement'
import { MAX_PAYMENT_REQUIRED_HEADER_BYTES } from '@farebox/protocol/limits'
import {
  askForPrice,
  entriesOf,
  expectHeader,
  priceCheck,
  readEntries,
  readHeader,
  type AcceptedEntry,
} from './ask-price.ts'
import type { Check } from '../../check/check.ts'
import { NotApplicable } from '../../exchange/verdicts.ts'
import { postJob, type CheckContext } from '../../check/context.ts'
import { expectEqual, expectKeys, expectThat } from '../../exchange/expectations.ts'

const HEADER_ENTRY_KEYS = ['scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds', 'extra']

/** The `PAYMENT-REQUIRED` header of the 402 response, from which stock x402 clients pay (D3). */
export const PAYMENT_REQUIRED_HEADER_CHECKS: readonly Check[] = [
  priceCheck(
    'header',
    ['D3'],
    'The 402 carries PAYMENT-REQUIRED: base64 of the x402 v2 object',
    'Send PAYMENT-REQUIRED: base64 of {x402Version: 2, error, resource, accepts}. Stock x402 clients read it alone.',
    async context => {
      for (const name of (await context.agent()).names) expectHeader(await askForPrice(context, name))
      const required = await headerOf(context)
      const keys = Object.keys(required).filter(key => key !== 'extensions')
      expectEqual(keys.sort(), ['accepts', 'error', 'resource', 'x402Version'], 'the keys')
      expectEqual(required['x402Version'], 2, 'x402Version')
      expectThat(typeof required['error'] === 'string', 'error to be a text', required['error'])
      expectThat((await headerEntriesOf(context)).length > 0, 'accepts with an entry', required['accepts'])
    },
  ),
  priceCheck(
    'header-resource',
    ['D3'],
    'PAYMENT-REQUIRED names the resource: url, description and mimeType',
    'Name the URL of POST /execute as callers reach it.',
    async context => {
      const { url, mimeType } = expectKeys(
        (await headerOf(context))['resource'],
        ['url', 'description', 'mimeType'],
        'resource',
      )
      expectThat(
        typeof url === 'string' && canParseUrl(url) && new URL(url).pathname.endsWith('/execute'),
        'a URL ending in /execute',
        url,
      )
      expectEqual(mimeType, 'application/json', 'mimeType')
    },
  ),
  priceCheck(
    'header-size',
    ['D3'],
    'PAYMENT-REQUIRED stays below 5 KB',
    'Shorten the description in the header: clients echo it, and servers take 16 KB of headers.',
    async context => {
      for (const name of (await context.agent()).names) {
        const reply = await askForPrice(context, name)
        readHeader(reply)
        const size = reply.headers.get('payment-required')?.length ?? 0
        expectThat(
          size < MAX_PAYMENT_REQUIRED_HEADER_BYTES,
          `fewer than ${MAX_PAYMENT_REQUIRED_HEADER_BYTES} bytes`,
          size,
        )
      }
    },
  ),
  priceCheck(
    'header-agrees',
    ['D2', 'D3'],
    'PAYMENT-REQUIRED asks for what the body asks for',
    'Make body and header from the same requirement.',
    async context => {
      for (const name of (await context.agent()).names) {
        const inBody = await entriesOf(context, name)
        const inHeader = await headerEntriesOf(context, name)
        expectEqual(inHeader.length, inBody.length, 'as many entries as the body:')
        for (const [index, entry] of inHeader.entries()) expectAgrees(entry, inBody[index])
      }
    },
  ),
  priceCheck(
    'header-entry',
    ['D3'],
    'Each entry of PAYMENT-REQUIRED is a whole x402 v2 requirement',
    'Stock clients need scheme, network, amount, asset, payTo, maxTimeoutSeconds and extra.',
    async context => {
      for (const entry of await headerEntriesOf(context)) {
        expectKeys(entry, HEADER_ENTRY_KEYS, 'the entry')
        expectEqual(entry['scheme'], 'exact', 'scheme')
      }
    },
  ),
  priceCheck(
    'domain',
    ['D3', 'PAY-39'],
    'extra of PAYMENT-REQUIRED is the token’s EIP-712 domain',
    'Send name and version of the token contract, not of the agent: clients sign with them.',
    async context => {
      for (const { network, extra } of await headerEntriesOf(context)) {
        const known = findNetwork(String(network))
        if (known === undefined)
          throw new NotApplicable('agent', `the domain of USDC on ${String(network)} is not known here`)
        expectEqual(extra, known.asset.domain, 'extra')
      }
    },
  ),
  priceCheck(
    'max-timeout',
    ['D3'],
    'maxTimeoutSeconds is max(60, max_deadline_seconds + 30), always',
    'Work it out once for each capability, not from the request.',
    async context => {
      const { names, maxDeadlineSeconds } = await context.agent()
      for (const name of names) {
        const body = await context.jobBody({ capability: name, deadline: context.nowSeconds() + 1 })
        for (const reply of [await askForPrice(context, name), await postJob(context, body)]) {
          for (const entry of readEntries(readHeader(reply)['accepts'])) {
            expectEqual(
              entry['maxTimeoutSeconds'],
              maxTimeoutSeconds(maxDeadlineSeconds),
              'maxTimeoutSeconds',
            )
          }
        }
      }
    },
  ),
]

/** Pairs of fields with the same value in the header and in the body. */
const SAME = [
  ['network', 'network'],
  ['asset', 'asset'],
  ['payTo', 'payTo'],
  ['amount', 'maxAmountRequired'],
] as const

function expectAgrees(inHeader: AcceptedEntry, inBody: AcceptedEntry | undefined): void {
  for (const [key, bodyKey] of SAME) {
    expectEqual(inHeader[key], inBody?.[bodyKey], `${key} of the header to be ${bodyKey} of the body,`)
  }
}

async function headerOf(context: CheckContext, capability?: string): Promise<AcceptedEntry> {
  return readHeader(await askForPrice(context, capability))
}

async function headerEntriesOf(
  context: CheckContext,
  capability?: string,
): Promise<readonly AcceptedEntry[]> {
  return readEntries((await headerOf(context, capability))['accepts'])
}
