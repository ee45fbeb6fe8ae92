import type { Network } from '@farebox/payments/networks'
import { MAX_AUTHORIZATION_SECONDS } from '@farebox/protocol/limits'
import { NEEDS, type Check } from '../../check/check.ts'
import { NotApplicable } from '../../exchange/verdicts.ts'
import { postJob, type CheckContext } from '../../check/context.ts'
import { expectFailure, expectThat } from '../../exchange/expectations.ts'
import { forgeHeader, sendAccepted, sendAuthorization, type Forgery } from '../../check/forge-payment.ts'
import { acceptanceCheck, expectRefused, refusalCheck } from './judge-payment.ts'
import { endsIn } from './payment-windows.ts'

const OTHER = '0x1111111111111111111111111111111111111111'
const ZERO = '0x0000000000000000000000000000000000000000'
const OUR_TABLE = 'Take chain, asset and EIP-712 domain from your own table and refuse what is not in it.'
const NUMBERS = 'Match ^(0|[1-9]\\d*)$ before making a number of it: BigInt takes "", " 1 " and "0x1".'

/** Other spellings of the correct amount, for which a lenient parser would accept the signature. */
const LOOSE_SPELLINGS: readonly (readonly [name: string, spell: (amount: string) => unknown])[] = [
  ['in spaces', amount => ` ${amount} `],
  ['in hex', amount => `0x${BigInt(amount).toString(16)}`],
  ['with an exponent', amount => `${amount}e0`],
  ['with decimals', amount => `${amount}.0`],
  ['with a leading zero', amount => `0${amount}`],
  ['with a plus', amount => `+${amount}`],
  ['as a number', amount => Number(amount)],
]

const WRONG_NUMBERS: readonly (readonly [name: string, value: unknown])[] = [
  ['empty', ''],
  ['negative', '-1'],
  ['true', true],
  ['null', null],
  ['missing', undefined],
  ['2^256', (1n << 256n).toString()],
]

/**
 * Payments with a valid signature for another chain, token, payee, amount, time or job (D4, D5, D13).
 */
export const PAYMENT_REFUSAL_CHECKS: readonly Check[] = [
  refusalCheck(
    'other network named',
    ['D4', 'PAY-23'],
    'A payment that names another chain is refused',
    OUR_TABLE,
    { envelope: sendAccepted({ network: 'eip155:10' }) },
  ),
  refusalCheck(
    'other network signed',
    ['D4', 'PAY-23'],
    'A payment signed for another chain is refused',
    OUR_TABLE,
    { domain: network => ({ ...network, chainId: 10 }) },
  ),
  refusalCheck(
    'other network named and signed',
    ['D4', 'PAY-23'],
    'A payment for another chain through and through is refused',
    OUR_TABLE,
    { domain: network => ({ ...network, chainId: 10 }), envelope: sendAccepted({ network: 'eip155:10' }) },
  ),
  ...['base-sepolia', 'eip155:08453', 'eip155:', 8453, 'solana:mainnet'].map(network =>
    refusalCheck(
      `network ${JSON.stringify(network)}`,
      ['D4', 'PAY-23'],
      `A payment on network ${JSON.stringify(network)} is refused`,
      OUR_TABLE,
      { envelope: sendAccepted({ network }) },
    ),
  ),
  refusalCheck(
    'other asset named',
    ['D5', 'PAY-24'],
    'A payment that names another token is refused',
    OUR_TABLE,
    {
      envelope: sendAccepted({ asset: OTHER }),
    },
  ),
  refusalCheck(
    'other asset signed',
    ['D4', 'PAY-24'],
    'A payment signed for another token is refused',
    OUR_TABLE,
    { domain: network => withAsset(network, { address: OTHER }) },
  ),
  refusalCheck(
    'domain of the payload',
    ['D4', 'PAY-39'],
    'A token domain that the payment brings along is not believed',
    OUR_TABLE,
    {
      domain: network => withAsset(network, { domain: { name: 'Fake', version: '9' } }),
      envelope: sendAccepted({ extra: { name: 'Fake', version: '9' } }),
    },
  ),
  refusalCheck(
    'other payee',
    ['D5', 'PAY-24'],
    'A payment to another wallet is refused',
    'Compare authorization.to with the wallet of /about.',
    { sign: { to: OTHER } },
  ),
  refusalCheck(
    'payee zero',
    ['D5', 'PAY-24'],
    'A payment to the zero address is refused',
    'Compare authorization.to with the wallet of /about.',
    { sign: { to: ZERO } },
  ),
  refusalCheck(
    'one unit less',
    ['D5', 'PAY-25'],
    'A payment of one unit less is refused',
    'Refuse every value but exactly the price, one unit off included.',
    amountOffBy(-1n),
  ),
  refusalCheck(
    'one unit more',
    ['D5', 'PAY-25'],
    'A payment of one unit more is refused',
    'Refuse every value but exactly the price, one unit off included.',
    amountOffBy(1n),
  ),
  refusalCheck(
    'nothing',
    ['D5', 'PAY-25'],
    'A payment of nothing is refused',
    'Refuse every value but exactly the price, one unit off included.',
    {
      sign: { value: '0' },
    },
  ),
  ...LOOSE_SPELLINGS.map(([name, spell]) =>
    refusalCheck(
      `value ${name}`,
      ['D4', 'PAY-27'],
      `The right amount ${name} is refused`,
      NUMBERS,
      async context => ({
        envelope: sendAuthorization({ value: spell((await context.terms()).requirement.amount) }),
      }),
    ),
  ),
  ...['value', 'validAfter', 'validBefore'].flatMap(field =>
    WRONG_NUMBERS.map(([name, value]) =>
      refusalCheck(
        `${field} ${name}`,
        ['D4', 'PAY-27'],
        `authorization.${field} ${name} is refused`,
        NUMBERS,
        {
          envelope: sendAuthorization({ [field]: value }),
        },
      ),
    ),
  ),
  {
    id: 'payment-refusals/other capability',
    rules: ['D5', 'PAY-06', 'PAY-25'],
    title: 'A payment of another capability’s price is refused',
    fix: 'Compare the value with the price of the capability that is called, and refuse any other.',
    needs: NEEDS.looksAtPayments,
    async run(context) {
      const { names, capability, first } = await context.agent()
      const dearer = names.find(name => capability(name).pricing.amount !== capability(first).pricing.amount)
      if (dearer === undefined) throw new NotApplicable('agent', 'all capabilities cost the same')
      await expectRefused(context, await forgeHeader(context, { capability: dearer }))
    },
  },
  {
    id: 'payment-refusals/messages',
    rules: ['PAY-26', 'D5'],
    title: 'Each cause has its own message',
    fix: 'Say which field is wrong and what would be right, so that the payer can fix it.',
    needs: NEEDS.looksAtPayments,
    async run(context) {
      const amount = (await context.terms()).requirement.amount
      const forgeries: readonly Forgery[] = [
        { sign: { to: OTHER } },
        { sign: { value: `${amount}0` } },
        await endsIn(-5)(context),
        await endsIn(8)(context),
        await endsIn(MAX_AUTHORIZATION_SECONDS + 60)(context),
        { sign: { validAfter: '9999999999' } },
        { envelope: sendAccepted({ network: 'eip155:10' }) },
      ]
      const messages: string[] = []
      for (const forgery of forgeries)
        messages.push(await expectRefused(context, await forgeHeader(context, forgery)))
      expectThat(
        new Set(messages).size === messages.length,
        `${messages.length} different messages`,
        messages.join(' | '),
      )
    },
  },
  {
    id: 'payment-refusals/empty wallet',
    rules: ['interface Authentication 2', 'D14', 'D24'],
    title: 'A well-signed payment by an empty wallet is refused, twice the same',
    fix: 'Ask the facilitator before the handler runs, and store no refusal.',
    needs: NEEDS.looksAtPayments,
    async run(context) {
      const payment = await forgeHeader(context)
      const body = await context.jobBody()
      expectFailure(await postJob(context, body, payment), 402, 'payment')
      expectFailure(await postJob(context, body, payment), 402, 'payment')
    },
  },
  acceptanceCheck(
    'addresses in capitals',
    ['D4', 'PAY-24'],
    'Addresses in another case are the same addresses',
    'Compare addresses case-folded.',
    async context => {
      const { requirement } = await context.terms()
      const shout = (address: string): string => `0x${address.slice(2).toUpperCase()}`
      const from = shout((await context.stranger()).address)
      return {
        envelope: envelope =>
          sendAuthorization({ from, to: shout(requirement.payTo) })(
            sendAccepted({ asset: shout(requirement.asset), payTo: shout(requirement.payTo) })(envelope),
          ),
      }
    },
  ),
]

function withAsset(network: Network, changes: Partial<Network['asset']>): Network {
  return { ...network, asset: { ...network.asset, ...changes } }
}

function amountOffBy(units: bigint): (context: CheckContext) => Promise<Forgery> {
  return async context => ({
    sign: { value: (BigInt((await context.terms()).requirement.amount) + units).toString() },
  })
}
