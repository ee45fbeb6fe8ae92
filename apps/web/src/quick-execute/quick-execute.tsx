import type { AgentPage } from '@farebox/platform-api/agent'
import type { FieldMap, JsonObject } from '@farebox/protocol/fields/field'
import {
  useCallback,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
  type ReactNode,
  type RefObject,
} from 'react'
import type { Order } from '../kept/order.ts'
import { focusUnreadable } from '../input-form/focus-unreadable.ts'
import { InputForm } from '../input-form/input-form.tsx'
import { limitUrl } from '../limits/find-cover.ts'
import { LimitFirst } from '../limits/limit-first.tsx'
import { useCover, type SpendCover } from '../limits/use-cover.ts'
import { JobPanel } from './job-panel.tsx'
import { CodeButtons } from './code-buttons.tsx'
import { BeforeJob } from './before-job.tsx'
import { Pay } from './pay-button.tsx'
import { useRest } from './use-rest.ts'
import { keepInput, takeInput } from './input-again.ts'
import { isUnderWay, useQuickExecute, type QuickExecute as Execute } from './use-quick-execute.ts'

interface Offer {
  readonly agent: AgentPage
  readonly capability: AgentPage['capabilities'][number]
}

interface Props extends Offer {
  /** A job that was ordered in this browser, to go on with. */
  readonly jobId: string | null
  /** Called once a job that was ordered here is paid. */
  readonly paid?: () => void
  /** Called with what the form holds. */
  readonly onInput?: (input: JsonObject) => void
}

/** Where a limit is to be set first there is nothing to pay by, by keys neither. */
function isPayShown(form: HTMLFormElement | null): boolean {
  return form?.querySelector('.limit-first') === null
}

/** The form of a capability, and beside it what becomes of the job: input left, output right. */
export function QuickExecute({ agent, capability, jobId, paid, onInput }: Props): ReactNode {
  const [input, setTyped] = useState<JsonObject>({})
  const setInput = useCallback(
    (typed: JsonObject): void => {
      setTyped(typed)
      onInput?.(typed)
    },
    [onInput],
  )
  const fields = capability.input_schema as FieldMap
  const form = useRef<HTMLFormElement>(null)
  const ordering = useOrdering({ agent, capability })
  const { execution, refusal, price, spend, limit, isHeld, isResting, pay, check, reset, retry } = ordering
  usePaid(execution, paid)
  const wasRefused = useRefusalFocus(form, refusal)
  useKeptInput({ agent, capability }, { jobId, setInput, showOrder: ordering.showOrder })
  const change = (value: JsonObject): void => {
    setInput(value)
    // What was found before belongs to the input before.
    if (execution.step === 'stopped' || execution.step === 'changed') reset()
  }
  /** What is sent is what is shown. */
  const send = (work: () => void): void => {
    if (focusUnreadable(form.current)) return
    wasRefused.current = true
    work()
  }
  const submit = (): void => {
    if (!isHeld && !isResting && isPayShown(form.current)) send(() => pay(input))
  }
  const fillSample = (): void => {
    import('../fields/check-input.ts').then(
      ({ sampleInput }) => setInput(sampleInput(fields) ?? input),
      () => undefined,
    )
  }
  return (
    <form
      ref={form}
      className={execution.step === 'ordered' ? 'try after' : 'try'}
      noValidate
      // Pressed before the scripts are here, it goes nowhere: a page that is loaded anew would forget what was typed.
      method="dialog"
      onSubmit={event => {
        event.preventDefault()
        submit()
      }}
      onKeyDown={event => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit()
      }}
    >
      <div>
        <InputForm
          fields={fields}
          value={input}
          onChange={change}
          form={{ refusal, onLeave: () => (refusal === undefined ? undefined : check(input)), isHeld }}
        >
          <div className="row tools">
            <button type="button" className="button low" disabled={isHeld} onClick={fillSample}>
              Use sample input
            </button>
            <CodeButtons agent={agent} capability={capability} price={price} input={input} />
          </div>
          <Payment agent={agent} capability={capability} ordering={ordering} input={input} send={send} />
        </InputForm>
      </div>
      <div>
        {execution.step === 'ordered' ? (
          <JobPanel
            execution={execution}
            usualMs={agent.job_p50_ms}
            fields={capability.output_schema as FieldMap}
            retry={order => send(() => retry(order, input))}
            limit={limit}
          />
        ) : (
          <BeforeJob
            agent={agent}
            capability={capability}
            price={execution.step === 'changed' ? execution.quote.amount : price}
            spend={spend}
          />
        )}
      </div>
    </form>
  )
}

/** The button that pays, behind the limit that is to be set first where the capability spends tokens. */
function Payment(
  props: Offer & {
    readonly ordering: Ordering
    readonly input: JsonObject
    readonly send: (work: () => void) => void
  },
): ReactNode {
  const { agent, capability, ordering, input, send } = props
  const { price, execution, spend, limit, isResting, reset, pay, setAgreed } = ordering
  const paying = (
    <Pay
      agent={agent}
      price={price}
      execution={execution}
      isResting={isResting}
      reset={reset}
      agree={asked =>
        send(() => {
          setAgreed(asked)
          pay(input, asked)
        })
      }
    />
  )
  if (spend === undefined || limit === undefined || execution.step !== 'idle') return paying
  return (
    <LimitFirst
      spend={spend}
      url={limit}
      leave={() => keepInput({ agentId: agent.agent_id, capability: capability.name, input })}
    >
      {paying}
    </LimitFirst>
  )
}

interface Ordering extends Execute {
  readonly price: string
  readonly setAgreed: (price: string) => void
  readonly spend: SpendCover | undefined
  /** The page that sets its limit; undefined: the capability spends no tokens of its caller. */
  readonly limit: string | undefined
  readonly isHeld: boolean
  readonly isResting: boolean
}

/** The order of a capability at the price that is agreed to, and the limit of what it spends. */
function useOrdering({ agent, capability }: Offer): Ordering {
  /** What the reader has agreed to pay, where it is another price than the page came with. */
  const [agreed, setAgreed] = useState<string>()
  const price = agreed ?? capability.price
  const execute = useQuickExecute({
    agentId: agent.agent_id,
    agentName: agent.name,
    capability: capability.name,
    price,
    fields: capability.input_schema as FieldMap,
  })
  const { execution } = execute
  const spend = useCover({
    agentId: agent.agent_id,
    capability: capability.name,
    permissions: capability.permissions,
  })
  const limit = spend === undefined ? undefined : limitUrl(agent.agent_id, capability.name)
  const isHeld = execution.step === 'preparing' || isUnderWay(execution)
  const isResting = useRest(execution.step === 'ordered' && !isHeld)
  return { ...execute, price, setAgreed, spend, limit, isHeld, isResting }
}

/** Calls `paid` once a job that was ordered here is paid. */
function usePaid(execution: Execute['execution'], paid: Props['paid']): void {
  const isPaid = execution.step === 'ordered' && execution.isFresh && execution.order.job?.charged === true
  const onPaid = useEffectEvent(() => paid?.())
  useEffect(() => {
    if (isPaid) onPaid()
  }, [isPaid])
}

/** Focuses the field that is refused, where the input was to be sent: its caller sets the ref then. */
function useRefusalFocus(
  form: RefObject<HTMLFormElement | null>,
  refusal: Execute['refusal'],
): RefObject<boolean> {
  const wasRefused = useRef(false)
  useEffect(() => {
    if (refusal !== undefined && wasRefused.current)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
    wasRefused.current = false
  }, [form, refusal])
  return wasRefused
}

/** Fills the form with what this browser keeps: a job to go on with, or an input that is to be run again. */
function useKeptInput(
  { agent: { agent_id: agentId }, capability: { name: capability } }: Offer,
  form: {
    readonly jobId: string | null
    readonly setInput: (input: JsonObject) => void
    readonly showOrder: (order: Order) => void
  },
): void {
  const { jobId, setInput, showOrder } = form
  useEffect(() => {
    import('../kept/order-store.ts')
      .then(store => (jobId === null ? findJustOrdered(store, capability) : store.readOrder(jobId)))
      .then(
        order => {
          if (order?.agent_id !== agentId) return
          setInput(order.input)
          showOrder(order)
        },
        () => undefined,
      )
  }, [jobId, agentId, capability, setInput, showOrder])
  useEffect(() => {
    const again = takeInput(agentId, capability)
    if (again !== undefined) setInput(again)
  }, [agentId, capability, setInput])
}

/** A page that is loaded again right after the press on its button shows that job, and does not offer to pay once more. */
const JUST_ORDERED_SECONDS = 30

async function findJustOrdered(
  { listOrders }: { readonly listOrders: (most: number) => Promise<readonly Order[]> },
  capability: string,
): Promise<Order | undefined> {
  const [newest] = await listOrders(1)
  const isJustOrdered =
    newest?.capability === capability &&
    newest.refusal === undefined &&
    typeof newest.job?.finished_at !== 'number' &&
    Date.now() / 1_000 - newest.created_at < JUST_ORDERED_SECONDS
  return isJustOrdered ? newest : undefined
}
