import type { Flow, JobStep, Step, Wire } from '@farebox/flows/document/flow'
import type { CapabilitiesAnswer, OfferedCapability } from '@farebox/platform-api/flows/capabilities'

/** As many steps as a flow may have. */
export const STEPS = 200
const ROWS = 8
const STEPS_OF_A_LANE = 5

/** A flow as large as one may be, and what it is made of. */
export interface LargeFlow {
  readonly flow: Flow
  /** What its agents offer, as the platform says. */
  readonly offered: readonly OfferedCapability[]
}

/**
 * Makes it of the local economy's agents: eight rows, each of five lanes one behind the other. A lane shortens a text,
 * counts its words, puts both in a sentence and makes a QR code of it; the sentence is what the next lane shortens. Some
 * wires are plain, some convert, some may be refused, and some outputs nobody takes, as in flows that people make.
 */
export async function makeLargeFlow(url: string): Promise<LargeFlow> {
  const answer = await fetch(`${url}/v1/capabilities?limit=50`)
  const { capabilities: offered } = (await answer.json()) as CapabilitiesAnswer
  const steps: Record<string, Step> = {}
  const wires: Wire[] = []
  const join = (from: readonly [string, string], to: readonly [string, string]): void => {
    wires.push({ from: { step: from[0], port: from[1] }, to: { step: to[0], port: to[1] } })
  }
  const outputs: string[] = []
  for (let lane = 0; lane < STEPS / STEPS_OF_A_LANE; lane += 1) {
    const id = (kind: string): string => `${kind}_${lane}`
    steps[id('short')] = { ...jobOf(offered, 'summarize'), constants: { sentences: 2 } }
    steps[id('count')] = jobOf(offered, 'count')
    steps[id('line')] = { kind: 'template', text: 'In short: {summary}' }
    steps[id('both')] = { kind: 'template', text: '{line} ({words} words)' }
    steps[id('code')] = jobOf(offered, 'encode')
    join(lane < ROWS ? ['input', 'article'] : [`both_${lane - ROWS}`, 'text'], [id('short'), 'text'])
    join([id('short'), 'summary'], [id('count'), 'text'])
    join([id('short'), 'summary'], [id('line'), 'summary'])
    join([id('line'), 'text'], [id('both'), 'line'])
    join([id('count'), 'words'], [id('both'), 'words'])
    join([id('both'), 'text'], [id('code'), 'text'])
    if (lane + ROWS < STEPS / STEPS_OF_A_LANE) continue
    outputs.push(id('svg'))
    join([id('code'), 'svg'], ['output', id('svg')])
  }
  const flow: Flow = {
    flow_version: 1,
    name: 'A large flow',
    inputs: { article: { type: 'string', required: true, minLength: 20, maxLength: 50_000 } },
    outputs,
    steps,
    wires,
  }
  return { flow, offered }
}

function jobOf(offered: readonly OfferedCapability[], capability: string): JobStep {
  const found = offered.find(one => one.capability === capability)
  if (found?.pinned === undefined || found.pinned === null)
    throw new Error(`no agent of the local economy offers ${capability}`)
  // As the platform lists it: in the field language.
  const pinned = structuredClone(found.pinned) as JobStep['pinned']
  return { kind: 'job', agent_id: found.agent_id, capability, pinned }
}
