import type { Flow } from '@farebox/flows/document/flow'
import type { OfferedCapability } from '@farebox/platform-api/flows/capabilities'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { median } from '../../rounds/statistics.ts'
import { settle, type Chromium } from '../chromium.ts'
import type { Figure, Section } from '../figure.ts'
import { describeSent, listenForCode, sumSent } from '../sent-code.ts'
import { measureEdits } from './edits.ts'
import { makeLargeFlow, STEPS } from './large-flow.ts'
import { measureMovements } from './movements.ts'
import { openFlow } from './open-flow.ts'
import { WATCH } from './watch.ts'

const MOST_CHECK_MS = 50
/** Calls before and while the check is measured: as often as somebody who composes a flow for a while changes it. */
const CHECKS = { before: 20, measured: 40 }

/** The builder with a flow as large as one may be: how it moves, how soon an edit is seen, what its code weighs. */
export async function measureCanvas(
  { context }: Chromium,
  url: string,
  options: { readonly rounds: number; readonly tell: (doing: string) => void },
): Promise<Section> {
  const { flow, offered } = await makeLargeFlow(url)
  const page = await context.newPage()
  try {
    await page.addInitScript(WATCH)
    options.tell('canvas: code')
    const size = await measureCode(page, url)
    await openFlow(page, url, flow)
    const movements = await measureMovements(page, options)
    const edits = await measureEdits(page, options)
    options.tell('canvas: check')
    const check = await measureCheck(page, flow, offered)
    return {
      title: `the builder with a flow of ${STEPS} steps and ${flow.wires.length} wires; edits from their event to the next painted frame`,
      figures: [...movements, ...edits, check, size],
    }
  } finally {
    await page.close()
  }
}

/** What comes when the builder is opened from the list of flows. */
async function measureCode(page: Page, url: string): Promise<Figure> {
  const listener = listenForCode(page)
  await page.goto(`${url}/flows`)
  await settle(page)
  await listener.take()
  await page.goto(`${url}/flows/new`)
  await page.getByRole('region', { name: 'Canvas' }).getByText('Flow inputs').waitFor()
  await settle(page)
  const sent = await listener.take()
  const canvas = sent.filter(({ name, kind }) => name === 'flow-canvas' || kind === 'stylesheet')
  return {
    what: 'code of the canvas, on demand, gzip',
    value: sumSent(canvas.filter(({ kind }) => kind === 'script')),
    unit: 'KB',
    notes: [`all that the builder brings beside the list of flows: ${describeSent(sent)}`],
  }
}

/** The check alone, as browsers run it, against what the agents are now. */
async function measureCheck(page: Page, flow: Flow, offered: readonly OfferedCapability[]): Promise<Figure> {
  await page.evaluate(await bundleCheck())
  const given = JSON.stringify({ flow, offered, times: CHECKS.before + CHECKS.measured })
  const ms = (await page.evaluate(`(${CHECK})(${given})`)) as readonly number[]
  return {
    what: `the check of ${STEPS} steps, in the browser`,
    value: median(ms.slice(CHECKS.before)),
    unit: 'ms',
    goal: { atMost: MOST_CHECK_MS },
    notes: [
      `the first ${(ms[0] ?? 0).toFixed(1)} ms; worst of ${CHECKS.measured} when warm: ${Math.max(...ms.slice(CHECKS.before)).toFixed(1)} ms`,
    ],
  }
}

/** Runs in the page: each time another flow, as after an edit, its types those of the catalog. */
const CHECK = `({ flow, offered, times }) => {
  const known = new Map(offered.map(({ agent_id, capability, pinned, state, permissions }) =>
    [agent_id + ' ' + capability, { ...pinned, state, permissions }]))
  const catalog = { find: (agent, capability) => known.get(agent + ' ' + capability) }
  return Array.from({ length: times }, () => {
    const changed = structuredClone(flow)
    const began = performance.now()
    const { wires } = flowCheck.checkFlow(changed, { catalog })
    if (wires.length !== flow.wires.length) throw new Error('not checked')
    return performance.now() - began
  })
}`

async function bundleCheck(): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(import.meta.resolve('@farebox/flows/check/check-flow')),
    platform: 'browser',
    resolve: { conditionNames: ['@farebox/source', 'browser', 'import'] },
  })
  const { output } = await bundle.generate({ format: 'iife', name: 'flowCheck' })
  await bundle.close()
  return output[0].code
}
