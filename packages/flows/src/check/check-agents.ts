import { readPrice } from '@farebox/protocol/money/usdc'
import type { Flow, JobStep } from '../document/flow.ts'
import { pin, type Catalog, type CurrentCapability } from './catalog.ts'
import { find, type LazyFinding, type Repair } from './finding.ts'

/** Findings about changes of a flow's agents: removed, offline, more expensive, changed, or asking for permissions. */
export function checkAgents(flow: Flow, catalog: Catalog): LazyFinding[] {
  return Object.entries(flow.steps).flatMap(([id, step]) => {
    if (step.kind !== 'job') return []
    const current = catalog.find(step.agent_id, step.capability)
    if (current === undefined) return []
    if (current === null)
      return [
        find(
          'error',
          'gone',
          { step: id },
          `${step.pinned.agent_name} no longer offers “${step.capability}”.`,
        ),
      ]
    return [...checkState(id, current), ...checkDrift(id, step, current), ...checkPermissions(id, current)]
  })
}

function checkState(id: string, { agent_name: name, state, reason }: CurrentCapability): LazyFinding[] {
  switch (state) {
    case 'online':
      return []
    case 'unreachable':
      return [
        find(
          'warning',
          'unreachable',
          { step: id },
          `${name} did not answer just now. What it does not deliver is not charged.`,
        ),
      ]
    case 'offline':
      return [
        find('error', 'offline', { step: id }, `${name} is offline: it did not answer its last checks.`),
      ]
    case 'closed':
      return [
        find(
          'error',
          'closed',
          { step: id },
          `${name} is not accepting jobs: ${reason ?? 'reason unknown'}.`,
        ),
      ]
  }
}

/** A higher price needs a new agreement; other changes show at the wires, and are accepted with one click. */
function checkDrift(id: string, step: JobStep, current: CurrentCapability): LazyFinding[] {
  const { pinned } = step
  const [before, now] = [readPrice(pinned.price), readPrice(current.price)]
  const takeOver = (label: string): Repair => ({
    label,
    edits: [{ edit: 'replace-step', id, step: { ...step, pinned: pin(current) } }],
  })
  if (!before.ok || !now.ok || now.atomic > before.atomic)
    return [
      find(
        'error',
        'dearer',
        { step: id },
        `The price has risen: ${pinned.price} → ${current.price} USDC.`,
        () => [takeOver(`Accept ${current.price} USDC`)],
      ),
    ]
  if (pinned.hash === current.hash) return []
  const cheaper =
    now.atomic < before.atomic ? `It now costs ${current.price} USDC, down from ${pinned.price}. ` : ''
  return [
    find(
      'note',
      'changed',
      { step: id },
      `${cheaper}${current.agent_name} has changed “${step.capability}” since this flow was made.`,
      () => [takeOver('Accept the change')],
    ),
  ]
}

function checkPermissions(id: string, { agent_name: name, permissions }: CurrentCapability): LazyFinding[] {
  return permissions.map((reason, index) =>
    find('note', `permission ${index}`, { step: id }, `${name} asks to move your tokens: ${reason}`),
  )
}
