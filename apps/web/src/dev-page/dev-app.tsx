import type { JsonObject } from '@farebox/protocol/fields/field'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import { formatDuration } from '../format/duration.ts'
import { CapabilityTabs } from '../pages/agent/capability-tabs.tsx'
import { Address } from '../parts/short.tsx'
import { Words } from '../parts/words.tsx'
import { useDev, type DevState } from './follow-dev.ts'
import { keepFields, NO_INPUT, type KeptInput } from './keep-fields.ts'
import { DevLog } from './dev-log.tsx'
import { sendDevJob, type DevRun } from './dev-run.ts'
import { DevProblems, DevStanding } from './dev-standing.tsx'
import { Workbench } from './workbench.tsx'
import type { DevView, DevAgent } from './wire.ts'

/** The page of `farebox dev`: runs jobs of the agent under edit, and follows it from save to save. */
export function DevApp(): ReactNode {
  const dev = useDev()
  const agent = dev.view?.agent ?? undefined
  useEffect(() => {
    document.title = agent === undefined ? 'farebox dev' : `${agent.name} · farebox dev`
  }, [agent])
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="band">
        <div>
          <span className="brand">
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <circle className="coin" cx="12" cy="6.4" r="6.2" />
              <path className="box" d="M1 9.4h22V21a2.4 2.4 0 01-2.4 2.4H3.4A2.4 2.4 0 011 21z" />
              <path className="slot" d="M5.6 13.4h12.8" />
            </svg>
            Farebox <span className="under-edit">dev</span>
          </span>
          <div className="end">
            {agent !== undefined && <span className="where mono">{agent.url}</span>}
            <DevStanding dev={dev} />
          </div>
        </div>
      </header>
      <main id="main" className="page near dev">
        {dev.view === undefined || agent === undefined ? (
          <Waiting dev={dev} />
        ) : (
          <Bench dev={dev} view={dev.view} agent={agent} />
        )}
      </main>
    </>
  )
}

function Waiting({ dev }: { readonly dev: DevState }): ReactNode {
  const isIdle = dev.view?.phase === 'idle'
  return (
    <>
      <h1>{isIdle ? 'No version is running' : 'Waiting for the agent'}</h1>
      <p className="lede">This page will show the agent as soon as you save a version that can run.</p>
      <DevProblems dev={dev} />
      {dev.lines.length > 0 && <DevLog lines={dev.lines} leftOut={dev.leftOut} run={undefined} first="all" />}
    </>
  )
}

/** Shows an agent, one capability at a time. Each capability keeps its input and its newest run. */
function Bench(props: {
  readonly dev: DevState
  readonly view: DevView
  readonly agent: DevAgent
}): ReactNode {
  const { dev, view, agent } = props
  const [chosen, setChosen] = useState(() => new URLSearchParams(location.search).get('capability'))
  const capability = agent.capabilities.find(({ name }) => name === chosen) ?? agent.capabilities[0]
  const [inputs, setInputs] = useKeptInputs(agent)
  const name = capability?.name ?? ''
  const { value: input } = inputs.get(name) ?? NO_INPUT
  const { run, start } = useRuns(name, input)
  const [repeats, setRepeats] = useState(false)
  useEachSave(view.version, () => {
    if (repeats && !agent.is_paid && run !== undefined) start()
  })

  if (capability === undefined) return null
  const choose = (next: string): void => {
    setChosen(next)
    history.replaceState(null, '', `?capability=${encodeURIComponent(next)}`)
  }
  const setInput = (value: JsonObject): void =>
    setInputs(before => new Map(before).set(name, { ...(before.get(name) ?? NO_INPUT), value }))
  return (
    <>
      <Head view={view} agent={agent} />
      <DevProblems dev={dev} />
      <CapabilityTabs capabilities={agent.capabilities} chosen={name} choose={choose} />
      <Workbench
        key={name}
        agent={agent}
        capability={capability}
        input={input}
        onInput={setInput}
        run={run}
        steps={dev.steps.get(run?.request.job_id ?? '') ?? []}
        onRun={start}
        repeats={repeats}
        onRepeats={setRepeats}
      />
      <DevLog lines={dev.lines} leftOut={dev.leftOut} run={run} first="job" />
    </>
  )
}

/** The newest run of each capability; each has at most one run at a time. */
function useRuns(
  capability: string,
  input: JsonObject,
): { readonly run: DevRun | undefined; readonly start: () => void } {
  const [runs, setRuns] = useState<ReadonlyMap<string, DevRun>>(new Map())
  const run = runs.get(capability)
  const keep = (changed: DevRun): void => setRuns(before => new Map(before).set(capability, changed))
  const start = (): void => {
    if (run !== undefined && run.answer === undefined) return
    const request = { job_id: crypto.randomUUID(), capability, input }
    const begun: DevRun = { request, sinceMs: Date.now(), untilMs: undefined, answer: undefined }
    keep(begun)
    void sendDevJob(request, begun.sinceMs).then(answer => keep({ ...begun, untilMs: Date.now(), answer }))
  }
  return { run, start }
}

/** Calls `act` for each version that is served after the first one. */
function useEachSave(version: number, act: () => void): void {
  const served = useRef(version)
  useEffect(() => {
    const isNew = version !== served.current
    served.current = version
    if (isNew) act()
  })
}

/** The input of each capability; each save adapts it to the changed fields. */
function useKeptInputs(
  agent: DevAgent,
): readonly [
  ReadonlyMap<string, KeptInput>,
  (change: (before: ReadonlyMap<string, KeptInput>) => ReadonlyMap<string, KeptInput>) => void,
] {
  const [inputs, setInputs] = useState<ReadonlyMap<string, KeptInput>>(new Map())
  const [shown, setShown] = useState(agent)
  if (shown !== agent) {
    setShown(agent)
    setInputs(carryOver(inputs, shown, agent))
  }
  return [inputs, setInputs]
}

function carryOver(
  inputs: ReadonlyMap<string, KeptInput>,
  before: DevAgent,
  after: DevAgent,
): ReadonlyMap<string, KeptInput> {
  const fieldsOf = (agent: DevAgent, name: string) =>
    agent.capabilities.find(one => one.name === name)?.input_schema
  return new Map(
    [...inputs].map(([name, kept]) => {
      const [old, now] = [fieldsOf(before, name), fieldsOf(after, name)]
      return [name, old === undefined || now === undefined ? kept : keepFields(kept, old, now)]
    }),
  )
}

function Head({ view, agent }: { readonly view: DevView; readonly agent: DevAgent }): ReactNode {
  return (
    <div className="head">
      <div>
        <h1>
          <Words of={agent.name} most={64} />
        </h1>
        <p className="lede">
          <Words of={agent.description} most={400} />
        </p>
      </div>
      <Facts view={view} agent={agent} />
    </div>
  )
}

function Facts({ view, agent }: { readonly view: DevView; readonly agent: DevAgent }): ReactNode {
  return (
    <dl className="facts">
      <div>
        <dt>Payments</dt>
        <dd>{agent.is_paid ? 'on, with test money' : 'off'}</dd>
      </div>
      <div>
        <dt>Wallet</dt>
        <dd>
          <Address of={agent.wallet} />
        </dd>
      </div>
      <div>
        <dt>Deadline</dt>
        <dd className="num">{agent.max_deadline_seconds} s</dd>
      </div>
      <div className="last-save">
        <dt>Last save served</dt>
        <dd className="num">
          {view.change === null ? (
            'none yet'
          ) : (
            <>
              in {formatDuration(view.change.took_ms)} <small>{view.change.words}</small>
            </>
          )}
        </dd>
      </div>
    </dl>
  )
}
