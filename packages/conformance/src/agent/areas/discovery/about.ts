import { refuseAddress } from '@farebox/payments/crypto/address'
import { checkDeclaration } from '@farebox/protocol/declaration/check-declaration'
import { formatProblem } from '@farebox/protocol/problems/problem'
import { readPrice } from '@farebox/protocol/money/usdc'
import { NEEDS, type Check } from '../../check/check.ts'
import type { CheckContext } from '../../check/context.ts'
import { isObject } from '@farebox/protocol/internal/guards/json'
import {
  expectEqual,
  expectJson,
  expectKeys,
  expectObject,
  expectStatus,
  expectThat,
} from '../../exchange/expectations.ts'
import { fixtureDeclaration } from '../../fixture/fixture-declaration.ts'
import { expectHead, expectJsonType } from './health.ts'
import type { Reply } from '../../exchange/send-request.ts'

const KEYS = ['service_version', 'name', 'description', 'wallet', 'max_deadline_seconds', 'capabilities']
const CAPABILITY_KEYS = ['description', 'pricing', 'input_schema', 'output_schema']

/** `GET /about`: the served declaration, from which forms, canvas and prices are made. */
export const ABOUT_CHECKS: readonly Check[] = [
  {
    id: 'about/keys',
    rules: ['interface GET /about', 'D29'],
    title: 'GET /about has exactly the keys of the config',
    fix: 'Serve the declaration and nothing beside it; $schema is for editors and is not served.',
    needs: NEEDS.nothing,
    async run(context) {
      const reply = await getAbout(context)
      expectStatus(reply, 200)
      expectKeys(expectJson(reply), KEYS, 'the body')
    },
  },
  {
    id: 'about/declaration',
    rules: ['interface Config', 'D18', 'D28'],
    title: 'GET /about is a valid declaration',
    fix: 'Correct the field in the config and restart.',
    needs: NEEDS.nothing,
    async run(context) {
      const checked = checkDeclaration(expectJson(await getAbout(context)))
      const [problem] = checked.ok ? [] : checked.problems
      expectThat(problem === undefined, 'a valid declaration', problem && formatProblem(problem))
    },
  },
  {
    id: 'about/version',
    rules: ['interface Versioning 1'],
    title: 'GET /about says service_version 1.0',
    fix: 'Set service_version to the string "1.0".',
    needs: NEEDS.nothing,
    async run(context) {
      expectEqual(
        expectObject(expectJson(await getAbout(context)), 'the body')['service_version'],
        '1.0',
        'service_version',
      )
    },
  },
  {
    id: 'about/wallet',
    rules: ['D29', 'D30', 'OPS-09'],
    title: 'GET /about shows the wallet as an address, never as the placeholder',
    fix: 'Set AGENT_WALLET_ADDRESS to a non-zero address with a correct checksum.',
    needs: NEEDS.nothing,
    async run(context) {
      const { wallet } = expectObject(expectJson(await getAbout(context)), 'the body')
      const refused = refuseAddress(await context.crypto(), wallet)
      expectThat(
        refused === undefined,
        'an address of 40 hex digits',
        refused === undefined ? wallet : `${String(wallet)} (${refused})`,
      )
    },
  },
  {
    id: 'about/capabilities',
    rules: ['interface Capability', 'D29'],
    title: 'GET /about gives each capability its four keys, and permissions only where declared',
    fix: 'Give every capability its four keys, and leave permissions out where there are none.',
    needs: NEEDS.nothing,
    async run(context) {
      for (const [name, capability] of await capabilitiesOf(context)) {
        const declaresSpending = isObject(capability) && Object.hasOwn(capability, 'permissions')
        expectKeys(capability, [...CAPABILITY_KEYS, ...(declaresSpending ? ['permissions'] : [])], name)
      }
    },
  },
  {
    id: 'about/pricing',
    rules: ['interface Pricing', 'D1', 'PAY-28'],
    title: 'GET /about prices every capability per job, in USDC, as a decimal string',
    fix: 'Write pricing as {"model": "per_job", "amount": "0.01", "currency": "USDC"}, six decimals at most.',
    needs: NEEDS.nothing,
    async run(context) {
      for (const [name, capability] of await capabilitiesOf(context)) {
        const { pricing } = expectObject(capability, name)
        const { model, currency, amount } = expectKeys(
          pricing,
          ['model', 'amount', 'currency'],
          `${name}.pricing`,
        )
        expectEqual(model, 'per_job', 'model')
        expectEqual(currency, 'USDC', 'currency')
        const price = readPrice(amount)
        expectThat(price.ok, 'a decimal amount like "0.01"', amount)
      }
    },
  },
  {
    id: 'about/json',
    rules: ['interface GET /about'],
    title: 'GET /about is sent as application/json',
    fix: 'Set Content-Type: application/json.',
    needs: NEEDS.nothing,
    run: async context => expectJsonType(await getAbout(context)),
  },
  {
    id: 'about/stable',
    rules: ['interface 1.2', 'D15'],
    title: 'GET /about answers the same bytes every time, whatever the query string',
    fix: 'Generate /about once, at the start, from the declaration.',
    needs: NEEDS.nothing,
    async run(context) {
      const again = await context.send({ method: 'GET', path: '/about?fresh=1' })
      expectEqual(again.text, (await getAbout(context)).text, 'the same body')
    },
  },
  {
    id: 'about/head',
    rules: ['D15'],
    title: 'HEAD /about answers 200 without a body',
    fix: 'Answer HEAD wherever GET is answered.',
    needs: NEEDS.nothing,
    run: context => expectHead(context, '/about'),
  },
  {
    id: 'about/generated',
    rules: ['D29', 'interface 1.2'],
    title: 'GET /about is the config with its wallet replaced',
    fix: 'Generate /about from the declaration, adding and leaving out nothing.',
    needs: { ...NEEDS.nothing, knows: ['fixture'] },
    async run(context) {
      const about = expectObject(expectJson(await getAbout(context)), 'the body')
      expectEqual(about, { ...fixtureDeclaration, wallet: about['wallet'] }, 'the declaration')
    },
  },
]

async function capabilitiesOf(context: CheckContext): Promise<readonly (readonly [string, unknown])[]> {
  const { capabilities } = expectObject(expectJson(await getAbout(context)), 'the body')
  const named = Object.entries(expectObject(capabilities, 'capabilities'))
  expectThat(named.length > 0, 'at least one capability', 'none')
  return named
}

async function getAbout(context: CheckContext): Promise<Reply> {
  return await context.send({ method: 'GET', path: '/about' })
}
