import { runFlow } from '@farebox/client/run-flow'
import type { Flow } from '@farebox/flows/document/flow'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { formatUsdc, readUsdc } from '@farebox/protocol/money/usdc'
import { systemClock } from '@farebox/protocol/time/clock'
import { CommandError, type ExitCode, usageError } from '../../command-error.ts'
import { findPayingKey, type PayingKey } from '../../keys/paying-key.ts'
import { type ChosenPlatform, findPlatform } from '../../register/platform/find-platform.ts'
import { asTyped, paintFor } from '../../terminal/text.ts'
import type { World } from '../../world.ts'
import { askForCheck, readFlowFile, showFindings } from '../check/check-flow-file.ts'
import { openRunJournal } from '../journal/run-journal.ts'
import { agreeTotal } from './agree-total.ts'
import { followCommand } from './follow.ts'
import { lazySigner } from './lazy-signer.ts'
import { readFlowInput } from './read-flow-input.ts'
import { withRunDocument } from './explain-run.ts'
import { checkMaxTotal, type RawRunOptions, readSignOrder, type SignOrder } from './run-options.ts'

/**
 * `farebox flow run`: checks the flow and its input, requests all prices, asks for agreement, signs, and follows the run to
 * its end.
 */
export async function runFlowFile(world: World, file: string, raw: RawRunOptions): Promise<ExitCode> {
  return await withRunDocument(world, raw, async () => {
    const sign = readSignOrder(raw.sign)
    const isAgreed = checkMaxTotal(raw.maxTotal) !== undefined
    const flow = await readFlowFile(world, file)
    const maxTotal = raw.maxTotal ?? pinnedTotal(flow)
    if (!isAgreed) refuseUnasked(world, maxTotal)
    const input = await readFlowInput(world, flow, raw)
    const platform = await findPlatform(world, raw.platform)
    const { wallet, passwordFile } = raw
    const key = await findPayingKey(world, { wallet, passwordFile, local: platform.local })
    await refuseBroken(world, flow, { platform, key, json: raw.json === true })
    return await begin(world, {
      flow,
      input,
      platform,
      key,
      sign,
      maxTotal,
      isAgreed,
      json: raw.json === true,
    })
  })
}

/** The total of all jobs at their pinned prices; higher prices are refused. */
function pinnedTotal({ steps }: Flow): string {
  let total = 0n
  for (const step of Object.values(steps)) {
    if (step.kind !== 'job') continue
    const price = readUsdc(step.pinned.price)
    if (price.ok) total += price.atomic * BigInt(step.map?.most ?? 1)
  }
  return formatUsdc(total)
}

/** Throws, before any question, when no person can be asked to agree. */
function refuseUnasked({ canAsk }: World, maxTotal: string): void {
  if (canAsk) return
  throw usageError(
    `the flow can cost ${maxTotal} USDC, and there is no terminal to confirm it on`,
    `--max-total ${maxTotal} agrees to that much; nothing was signed`,
  )
}

/** Shows the errors of a flow, which prevent its start. Warnings are only counted. */
async function refuseBroken(
  world: World,
  flow: Flow,
  {
    platform,
    key,
    json,
  }: { readonly platform: ChosenPlatform; readonly key: PayingKey; readonly json: boolean },
): Promise<void> {
  const checked = await askForCheck(world, platform.url, flow, key.address)
  if (checked.ok && (json || checked.findings.length === 0)) return
  const warnings = checked.findings.filter(({ severity }) => severity === 'warning').length
  if (checked.ok) return json ? undefined : tellWarnings(world, warnings)
  if (!json) showFindings(world.err, checked)
  const [first] = checked.findings
  const place = first?.step === undefined ? '' : `${first.step}: `
  throw new CommandError(
    json ? `the flow cannot be run: ${place}${first?.message ?? ''}` : 'the flow cannot be run as it is',
    'nothing was signed; farebox flow check shows what is wrong with it',
  )
}

function tellWarnings(world: World, count: number): void {
  if (count === 0) return
  const what = count === 1 ? 'a warning' : `${count} warnings`
  const sign = paintFor(world.err).yellow('!')
  world.err.write(
    `  ${sign} ${what}: ${asTyped(world, 'farebox flow check')} shows what can fail while it runs\n\n`,
  )
}

interface Plan {
  readonly flow: Flow
  readonly input: JsonObject
  readonly platform: ChosenPlatform
  readonly key: PayingKey
  readonly sign: SignOrder
  readonly maxTotal: string
  readonly isAgreed: boolean
  readonly json: boolean
}

async function begin(world: World, plan: Plan): Promise<ExitCode> {
  const { flow, input, key, sign, maxTotal, isAgreed, json } = plan
  const { url: platformUrl, local } = plan.platform
  const startedAt = Math.floor(systemClock.nowMs() / 1_000)
  return await followCommand(world, {
    flow,
    facts: { name: flow.name, payer: key.address, maxTotal, startedAt },
    journal: openRunJournal(world.home, systemClock),
    record: undefined,
    json,
    work: async (hooks, screen) => {
      const signer = lazySigner(key, screen)
      return await runFlow(platformUrl, flow, input, {
        ...hooks,
        signer,
        sign,
        maxTotal,
        agree: async quote => {
          await agreeTotal(world, { flow, quote, key, platformUrl, local, sign, isAgreed })
          // A password is requested before the moving lines appear.
          await signer.unlock()
        },
      })
    },
  })
}
