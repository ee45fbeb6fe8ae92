import { findNetwork } from '@farebox/payments/networks'
import { readPrice } from '@farebox/protocol/money/usdc'
import { askForPrice, askUnpaid, entriesOf, expectNoStore, priceCheck, readEntries } from './ask-price.ts'
import type { Check } from '../../check/check.ts'
import type { CheckContext } from '../../check/context.ts'
import { expectEqual, expectKeys, expectStatus, expectThat } from '../../exchange/expectations.ts'
import { NotApplicable } from '../../exchange/verdicts.ts'

const ENTRY_KEYS = ['scheme', 'network', 'maxAmountRequired', 'asset', 'payTo', 'extra']
const ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** The body of the 402 response that asks for a payment, in the form of the interface (D1, D2). */
export const PAYMENT_REQUIRED_CHECKS: readonly Check[] = [
  priceCheck(
    'body',
    ['interface Processing 1', 'D2'],
    'POST /execute without payment answers 402 with accepts',
    'Answer 402 with {"x402Version": 1, "accepts": […]} when the payment header is missing.',
    async context => {
      for (const name of [undefined, ...(await context.agent()).names]) {
        const reply = await askUnpaid(context, name)
        expectStatus(reply, 402)
        const body = expectKeys(reply.json, ['x402Version', 'accepts'], 'the body')
        expectEqual(body['x402Version'], 1, 'x402Version')
        expectThat(readEntries(body['accepts']).length > 0, 'accepts with an entry', body['accepts'])
      }
    },
  ),
  priceCheck(
    'entry-keys',
    ['D2'],
    'Each entry of accepts has exactly the six documented keys',
    'Put what x402 clients need beyond them into the PAYMENT-REQUIRED header.',
    async context => {
      for (const entry of await entriesOf(context)) {
        expectKeys(entry, ENTRY_KEYS, 'the entry')
        expectKeys(entry['extra'], ['name', 'description'], 'extra')
      }
    },
  ),
  priceCheck(
    'scheme',
    ['interface Payment requirement'],
    'Each entry of accepts is of scheme exact, on an eip155 network',
    'Write scheme "exact" and network "eip155:<chain id>".',
    async context => {
      for (const { scheme, network } of await entriesOf(context)) {
        expectEqual(scheme, 'exact', 'scheme')
        expectThat(/^eip155:[1-9]\d*$/.test(String(network)), 'network eip155:<chain id>', network)
      }
    },
  ),
  priceCheck(
    'amount',
    ['D1', 'D2'],
    'maxAmountRequired is the price of /about in atomic units',
    'Amounts on the wire are atomic units: 0.002 USDC is "2000".',
    async context => {
      const { names } = await context.agent()
      for (const name of names) await expectAmount(context, name)
    },
  ),
  priceCheck(
    'pay-to',
    ['D2', 'PAY-38'],
    'payTo is the wallet of /about',
    'Take payTo from AGENT_WALLET_ADDRESS, like /about.',
    async context => {
      const { declaration } = await context.agent()
      if (!ADDRESS.test(declaration.wallet))
        throw new NotApplicable('agent', 'the wallet of /about is not an address')
      for (const { payTo } of await entriesOf(context)) {
        expectEqual(String(payTo).toLowerCase(), declaration.wallet.toLowerCase(), 'payTo')
      }
    },
  ),
  priceCheck(
    'asset',
    ['D2', 'PAY-24'],
    'asset is the USDC contract of the network',
    'Use Circle’s USDC address of that chain.',
    async context => {
      for (const { asset, network } of await entriesOf(context)) {
        expectThat(ADDRESS.test(String(asset)), 'asset to be an address', asset)
        const known = findNetwork(String(network))
        if (known !== undefined) expectEqual(String(asset).toLowerCase(), known.asset.address, 'asset')
      }
    },
  ),
  priceCheck(
    'extra',
    ['interface Payment requirement', 'D2'],
    'extra names the agent and the capability asked for',
    'Set extra to {"name": <agent name>, "description": <capability name>}.',
    async context => {
      const { declaration, names } = await context.agent()
      for (const name of names) {
        for (const { extra } of await entriesOf(context, name)) {
          expectEqual(extra, { name: declaration.name, description: name }, 'extra')
        }
      }
    },
  ),
  priceCheck(
    'one-each',
    ['D2'],
    'accepts has one entry for each network and asset',
    'List every network and asset once, for the capability asked for alone.',
    async context => {
      const ways = (await entriesOf(context)).map(({ network, asset }) =>
        `${String(network)} ${String(asset)}`.toLowerCase(),
      )
      expectEqual(new Set(ways).size, ways.length, 'distinct entries')
    },
  ),
  priceCheck(
    'default-capability',
    ['interface Job request', 'D14'],
    'Without a name the first declared capability is priced',
    'Default task.capability to the first declared key.',
    async context => {
      const { first } = await context.agent()
      expectEqual((await askForPrice(context)).json, (await askForPrice(context, first)).json, 'the body')
    },
  ),
  priceCheck(
    'no-store',
    ['D3', 'PAY-36'],
    'The 402 is not to be cached',
    'Send Cache-Control: no-store with every answer of /execute.',
    async context => expectNoStore(await askForPrice(context)),
  ),
]

async function expectAmount(context: CheckContext, name: string): Promise<void> {
  const price = readPrice((await context.agent()).capability(name).pricing.amount)
  for (const { maxAmountRequired } of await entriesOf(context, name)) {
    expectEqual(
      maxAmountRequired,
      price.ok ? price.atomic.toString() : undefined,
      'accepts[].maxAmountRequired',
    )
  }
}
