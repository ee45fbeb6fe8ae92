import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import { useEffect, useRef, useState, type ReactNode, type RefObject } from 'react'
import { checkInput, sampleInput } from '../fields/check-input.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { focusUnreadable } from '../input-form/focus-unreadable.ts'
import { InputForm } from '../input-form/input-form.tsx'
import { RunOutcome } from './outcome.tsx'
import { readOutcome, type Run } from './run.ts'
import type { RunStep, ServedAgent, ServedCapability, RunRequest } from './wire.ts'

interface Props {
  readonly agent: ServedAgent
  readonly capability: ServedCapability
  readonly input: JsonObject
  readonly onInput: (input: JsonObject) => void
  readonly run: Run | undefined
  readonly steps: readonly RunStep[]
  readonly onRun: () => void
  /** Run again at each save; undefined: not offered, each job costs. */
  readonly repeats: boolean
  readonly onRepeats: (repeats: boolean) => void
}

interface Refusal {
  readonly field: string
  readonly reason: string
}

/** One capability: input left, outcome right. The agent itself refuses; its words go to the field that they are about. */
export function Workbench(props: Props): ReactNode {
  const { agent, capability, input, onInput, run, steps, onRun, repeats, onRepeats } = props
  const form = useRef<HTMLFormElement>(null)
  const isRunning = run !== undefined && run.answer === undefined
  const fields = capability.input_schema
  const { refusal, check } = useRefusal(form, { fields, input, answer: run?.answer })
  const submit = (): void => {
    if (isRunning || focusUnreadable(form.current)) return
    onRun()
  }
  return (
    <form
      ref={form}
      className={run === undefined ? 'try' : 'try after'}
      noValidate
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={event => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        submit()
      }}
    >
      <div>
        <InputForm
          fields={fields}
          value={input}
          onChange={onInput}
          form={{
            refusal,
            onLeave: () => (refusal === undefined ? undefined : check()),
            isHeld: false,
          }}
        >
          <InputTools agent={agent} capability={capability} input={input} onInput={onInput} />
          <RunButton
            agent={agent}
            price={capability.price}
            isRunning={isRunning}
            repeats={repeats}
            onRepeats={onRepeats}
          />
        </InputForm>
      </div>
      <div>
        <RunOutcome agent={agent} capability={capability} run={run} steps={steps} />
      </div>
    </form>
  )
}

/** The refusal of the newest answer, whose field takes the focus; `check` looks for one in the current input. */
function useRefusal(
  form: RefObject<HTMLFormElement | null>,
  asked: {
    readonly fields: FieldMap
    readonly input: JsonObject
    readonly answer: Run['answer']
  },
): { readonly refusal: Refusal | undefined; readonly check: () => void } {
  const { fields, input, answer } = asked
  const [refusal, setRefusal] = useState<Refusal>()
  useEffect(() => {
    if (answer === undefined) return
    const outcome = readOutcome(answer)
    const found =
      outcome.kind === 'refused' && outcome.type === 'validation' ? findRefusal(fields, input) : undefined
    // The same rules refuse in the same words; anything else was the handler's to say.
    setRefusal(
      found !== undefined && outcome.kind === 'refused' && outcome.error === `${found.field}: ${found.reason}`
        ? found
        : undefined,
    )
    // Only an answer that has just come says something about the field.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [answer])
  useEffect(() => {
    if (refusal !== undefined) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [answer, refusal === undefined])
  return { refusal, check: () => setRefusal(findRefusal(fields, input)) }
}

function findRefusal(fields: FieldMap, input: JsonObject): Refusal | undefined {
  const checked = checkInput(fields, input)
  return checked.ok ? undefined : checked.violation
}

/** Fills the form with a sample, and copies the call that it makes. */
function InputTools(props: Pick<Props, 'agent' | 'capability' | 'input' | 'onInput'>): ReactNode {
  const { agent, capability, input, onInput } = props
  return (
    <div className="row tools">
      <button
        type="button"
        className="button low"
        onClick={() => onInput(sampleInput(capability.input_schema) ?? input)}
      >
        Use sample input
      </button>
      <CopyButton
        text={() =>
          curlSample(agent.url, { job_id: crypto.randomUUID(), capability: capability.name, input })
        }
      >
        Copy as curl
      </CopyButton>
    </div>
  )
}

/** The button that runs the job, and what that costs. */
function RunButton(props: {
  readonly agent: ServedAgent
  readonly price: string
  readonly isRunning: boolean
  readonly repeats: boolean
  readonly onRepeats: (repeats: boolean) => void
}): ReactNode {
  const { agent, price, isRunning, repeats, onRepeats } = props
  return (
    <div className="pay">
      <button
        type="submit"
        className={agent.is_paid ? 'button fare wide' : 'button solid wide tall'}
        disabled={isRunning}
      >
        {isRunning ? (
          'Running…'
        ) : (
          <>
            {agent.is_paid ? `Pay ${price} USDC and run` : 'Run'} <kbd aria-hidden="true">Ctrl ↵</kbd>
          </>
        )}
      </button>
      {agent.is_paid ? (
        <p className="hint centre">
          This uses test money on a local chain. If a job is not delivered, you are not charged.
        </p>
      ) : (
        <>
          <p className="hint centre">Payments are off. In production, this job will cost {price} USDC.</p>
          <label className="repeats">
            <input type="checkbox" checked={repeats} onChange={event => onRepeats(event.target.checked)} />
            Run again on each save
          </label>
        </>
      )}
    </div>
  )
}

/** The same job from a terminal, as a new one; good until 2100. */
function curlSample(url: string, { job_id, capability, input }: RunRequest): string {
  const body = { service_version: '1.0', job_id, deadline: 4_102_444_800, task: { capability, input } }
  return `curl -s ${shell(`${url}/execute`)} -H 'content-type: application/json' -d ${shell(JSON.stringify(body))}\n`
}

function shell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
