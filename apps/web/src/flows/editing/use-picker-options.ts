import type { Step } from '@farebox/flows/document/flow'
import type { Graph } from '@farebox/flows/graph/graph'
import { findInput, findOutput } from '@farebox/flows/internal/graph/find-port'
import { gradeTypes } from '../view/grade-types.ts'
import type { PortType } from '@farebox/flows/internal/graph/field-of'
import { portsOf } from '@farebox/flows/internal/graph/ports'
import type { OfferedCapability } from '@farebox/platform-api/flows/capabilities'
import { useMemo } from 'react'
import { answers } from '../../site/answers.ts'
import { explainFailure } from '../../site/ask.ts'
import { useRead } from '../../site/question.ts'
import { stepOf } from '../document/capability-catalog.ts'
import type { Join } from '../editor/edit-actions.ts'
import { ADAPTERS, WAYS, type FreeStep } from '../document/new-steps.ts'
import { useEditor } from '../editor/use-editor.ts'

/** A step, or an input or output of the flow, that can be added. */
export type PickerOption = {
  readonly key: string
  readonly name: string
  /** A capability's name. */
  readonly detail: string
  readonly price: string
  /** How well it fits, or its purpose. */
  readonly why: string
  /** Whether it can fail while it runs. */
  readonly isCare: boolean
} & (
  | { readonly what: 'step'; readonly step: Step; readonly port: string | undefined }
  | { readonly what: 'end' }
)

const TYPING_MS = 120
const MOST = 20

/** The steps that can be added where a wire was dropped, or anywhere; the platform's search finds the capabilities. */
export function usePickerOptions(
  join: Join | undefined,
  typed: string,
): {
  readonly options: readonly PickerOption[]
  readonly isReading: boolean
  readonly problem: string | undefined
  readonly title: string
} {
  const { live } = useEditor()
  const type = useMemo(() => typeOfJoin(live.read().graph, join), [live, join])
  const { found, isReading, problem } = useCapabilities(join, type, typed)
  const words = typed.trim().toLowerCase()
  const free = [...[...ADAPTERS, ...WAYS].flatMap(one => freeOption(one, join, type)), ...endOption(join)]
  const isMeant = ({ name }: PickerOption): boolean => words !== '' && name.toLowerCase().startsWith(words)
  const options = [
    ...free.filter(isMeant),
    ...found.flatMap(one => optionsOf(one)),
    ...free.filter(
      option => !isMeant(option) && `${option.name} ${option.why}`.toLowerCase().includes(words),
    ),
  ]
  return { options, isReading, problem, title: titleOf(join, type) }
}

function useCapabilities(join: Join | undefined, type: PortType, typed: string) {
  const { ask, catalog } = useEditor()
  const words = typed.trim()
  const query = new URLSearchParams({ limit: String(MOST) })
  if (words !== '') query.set('q', words)
  if (join !== undefined && type !== 'any')
    query.set('from' in join ? 'accepts' : 'gives', JSON.stringify(withoutWords(type)))
  const path = `/v1/capabilities?${query}`
  const { state, answer, isWaiting, failure } = useRead(
    path,
    async signal => {
      const { capabilities } = await ask(path, answers.capabilities, { signal })
      catalog.learn(capabilities)
      return capabilities
    },
    { keeps: true, ...(words !== '' && { afterMs: TYPING_MS }) },
  )
  return {
    found: answer ?? [],
    isReading: state === 'asking' || isWaiting === true,
    problem: failure === undefined ? undefined : explainFailure(failure),
  }
}

function optionsOf(offered: OfferedCapability): readonly PickerOption[] {
  const step = stepOf(offered)
  const { pinned, agent_id: agentId, capability, fits, description, state } = offered
  if (step === undefined || pinned === null) return []
  const [fit] = fits
  const offline = state === 'online' ? '' : `${state}. `
  return [
    {
      key: `${agentId} ${capability}`,
      name: pinned.agent_name,
      detail: capability,
      price: pinned.price,
      why:
        fit === undefined
          ? `${offline}${description}`
          : `${offline}“${fit.port}”, ${fit.grade === 'same' ? 'same type' : fit.reason}`,
      isCare: fit?.grade === 'lossy' || state !== 'online',
      what: 'step',
      step,
      port: fit?.port,
    },
  ]
}

function freeOption(free: FreeStep, join: Join | undefined, type: PortType): readonly PickerOption[] {
  const base = {
    key: free.kind,
    name: free.name,
    detail: '',
    price: 'free',
    what: 'step' as const,
    step: free.step,
  }
  if (join === undefined) return [{ ...base, why: free.words, isCare: false, port: undefined }]
  const fit = 'from' in join ? takes(free.step, type) : gives(free.step, type)
  if (fit === undefined) return []
  return [{ ...base, why: free.words, isCare: fit.grade === 'lossy', port: fit.port }]
}

/** The input of a free step that accepts a value of this type. */
function takes(step: Step, type: PortType): { readonly port: string; readonly grade: string } | undefined {
  for (const { name, type: wanted } of portsOf(step, () => undefined).inputs) {
    // A value of an unknown type may still be an object or a list.
    const { grade } = gradeTypes(type, wanted)
    const isFor = step.kind !== 'pick' || type === 'any' || type.type === 'array' || type.type === 'object'
    if (grade !== 'impossible' && isFor) return { port: name, grade }
  }
  return undefined
}

/** The output of a free step that returns a value of this type. */
function gives(step: Step, type: PortType): { readonly port: string; readonly grade: string } | undefined {
  if (step.kind === 'constant') return { port: 'value', grade: 'same' }
  for (const { name, type: given } of portsOf(step, () => undefined).outputs) {
    if (given === 'any') return { port: name, grade: 'same' }
    const { grade } = gradeTypes(given, type)
    if (grade !== 'impossible') return { port: name, grade }
  }
  return undefined
}

function endOption(join: Join | undefined): readonly PickerOption[] {
  if (join === undefined) return []
  const isSource = 'from' in join
  if (!isSource && join.to.step === 'output') return []
  return [
    {
      key: 'end',
      name: isSource ? 'Flow output' : 'Flow input',
      detail: '',
      price: '',
      why: isSource ? 'returned by the flow' : 'entered by the person who runs the flow',
      isCare: false,
      what: 'end',
    },
  ]
}

function typeOfJoin(graph: Graph, join: Join | undefined): PortType {
  if (join === undefined) return 'any'
  const port = 'from' in join ? findOutput(graph, join.from) : findInput(graph, join.to)
  return port?.type ?? 'any'
}

/** A field without its texts for people, because it is sent in a query. */
function withoutWords({
  description: _,
  examples: __,
  title: ___,
  ...field
}: Exclude<PortType, 'any'>): object {
  return field
}

function titleOf(join: Join | undefined, type: PortType): string {
  if (join === undefined) return 'Find a capability or an adapter'
  const what =
    type === 'any' ? 'any value' : /^[aeiou]/.test(type.type) ? `an ${type.type}` : `a ${type.type}`
  return 'from' in join ? `Find a step that accepts ${what}` : `Find a step that returns ${what}`
}
