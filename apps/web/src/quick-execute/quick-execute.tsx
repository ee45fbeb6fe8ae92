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
import { focusUnreadable } from '../input-form/focus-unreadable.ts'
import { InputForm } from '../input-form/input-form.tsx'
import { focusRefused, RunForm } from '../input-form/run-form.tsx'
import { SampleButton } from '../input-form/sample-button.tsx'
import { limitUrl } from '../limits/find-cover.ts'
import { LimitFirst } from '../limits/limit-first.tsx'
import { useCover, type SpendCover } from '../limits/use-cover.ts'
import { BeforeJob } from './before-job.tsx'
import { CodeButtons } from './code/code-buttons.tsx'
import { keepInput } from './input-again.ts'
import { JobPanel } from './job-panel.tsx'
import type { CheckoutValue } from './checkout/checkout-state.ts'
import { isUnderWay } from './checkout/under-way.ts'
import { Pay } from './pay-button.tsx'
import { useKeptInput } from './use-kept-input.ts'
import { useCheckout, type FormCheckout } from './use-checkout.ts'
import { useRest } from './use-rest.ts'

interface Offer {
  readonly agent: AgentPage
  readonly capability: AgentPage['capabilities'][number]
}

interface Props extends Offer {
  /** A job that was ordered in this browser, to resume. */
  readonly jobId: string | null
  /** Called once a job that was ordered here is paid. */
  readonly paid?: () => void
  /** Called with each change of the input. */
  readonly onInput?: (input: JsonObject) => void
}

/** The form of a capability at the left, and its job at the right. */
export function QuickExecute({ agent, capability, jobId, paid, onInput }: Props): ReactNode {
  const [input, setTyped] = useState<JsonObject>({})
  const setInput = useCallback(
    (typed: JsonObject): void => {
      setTyped(typed)
      onInput?.(typed)
    },
    [onInput],
  )
  const form = useRef<HTMLFormElement>(null)
  const sale = useSale({ agent, capability })
  const { execution, isHeld, isResting, pay } = sale
  usePaid(execution, paid)
  const isSent = useRefusalFocus(form, sale.refusal)
  useKeptInput(
    { agentId: agent.agent_id, capability: capability.name },
    { jobId, setInput, showOrder: sale.showOrder },
  )
  /** Sends the input as shown. */
  const send = (work: () => void): void => {
    if (focusUnreadable(form.current)) return
    isSent.current = true
    work()
  }
  const submit = (): void => {
    if (!isHeld && !isResting && isPayShown(form.current)) send(() => pay(input))
  }
  const part = { agent, capability, sale, input, send }
  return (
    <RunForm
      form={form}
      isAfter={execution.step === 'ordered'}
      submit={submit}
      input={<InputPart {...part} setInput={setInput} />}
      outcome={<OutcomePart {...part} />}
    />
  )
}

/** Whether the form can be paid by its button or by keys. It cannot while a limit has to be set first. */
function isPayShown(form: HTMLFormElement | null): boolean {
  return form?.querySelector('.limit-first') === null
}

interface PartProps extends Offer {
  readonly sale: Sale
  readonly input: JsonObject
  readonly send: (work: () => void) => void
}

function InputPart(props: PartProps & { readonly setInput: (input: JsonObject) => void }): ReactNode {
  const { agent, capability, sale, input, setInput } = props
  const { execution, refusal, isHeld, check, reset } = sale
  const fields = capability.input_schema as FieldMap
  const change = (value: JsonObject): void => {
    setInput(value)
    // The reason why the previous input was not sent does not apply to the changed one.
    if (execution.step === 'stopped' || execution.step === 'changed') reset()
  }
  const recheck = (): void => {
    if (refusal !== undefined) check(input)
  }
  return (
    <InputForm fields={fields} value={input} onChange={change} form={{ refusal, onLeave: recheck, isHeld }}>
      <div className="row tools">
        <SampleButton fields={fields} onInput={setInput} isHeld={isHeld} />
        <CodeButtons agent={agent} capability={capability} price={sale.price} input={input} />
      </div>
      <Payment {...props} />
    </InputForm>
  )
}

/** The button that pays. If the capability spends tokens, the limit has to be set first. */
function Payment({ agent, capability, sale, input, send }: PartProps): ReactNode {
  const { price, execution, spend, limit, isResting, reset, pay, setAgreed } = sale
  const agree = (asked: string): void =>
    send(() => {
      setAgreed(asked)
      pay(input, asked)
    })
  const paying = (
    <Pay
      agent={agent}
      price={price}
      execution={execution}
      isResting={isResting}
      reset={reset}
      agree={agree}
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

/** The job; before there is one, the payment that will be signed. */
function OutcomePart({ agent, capability, sale, input, send }: PartProps): ReactNode {
  const { execution, price, spend, limit, retry } = sale
  if (execution.step === 'ordered')
    return (
      <JobPanel
        execution={execution}
        usualMs={agent.job_p50_ms}
        fields={capability.output_schema as FieldMap}
        retry={order => send(() => retry(order, input))}
        limit={limit}
      />
    )
  return (
    <BeforeJob
      agent={agent}
      capability={capability}
      price={execution.step === 'changed' ? execution.quote.amount : price}
      spend={spend}
    />
  )
}

/** The orders of a capability at the agreed price, and the limit of its spending. */
interface Sale extends FormCheckout {
  readonly price: string
  readonly setAgreed: (price: string) => void
  readonly spend: SpendCover | undefined
  /** The page that sets the limit; undefined when the capability spends no tokens of its caller. */
  readonly limit: string | undefined
  readonly isHeld: boolean
  readonly isResting: boolean
}

function useSale({ agent, capability }: Offer): Sale {
  /** The changed price that the reader has agreed to; undefined: the price that the page was loaded with. */
  const [agreed, setAgreed] = useState<string>()
  const price = agreed ?? capability.price
  const checkout = useCheckout({
    agentId: agent.agent_id,
    agentName: agent.name,
    capability: capability.name,
    price,
    fields: capability.input_schema as FieldMap,
  })
  const { execution } = checkout
  const spend = useCover({
    agentId: agent.agent_id,
    capability: capability.name,
    permissions: capability.permissions,
  })
  const limit = spend === undefined ? undefined : limitUrl(agent.agent_id, capability.name)
  const isHeld = execution.step === 'preparing' || isUnderWay(execution)
  const isResting = useRest(execution.step === 'ordered' && !isHeld)
  return { ...checkout, price, setAgreed, spend, limit, isHeld, isResting }
}

/** Calls `paid` once a job that was ordered here is paid. */
function usePaid(execution: CheckoutValue['execution'], paid: Props['paid']): void {
  const isPaid = execution.step === 'ordered' && execution.isFresh && execution.order.job?.charged === true
  const onPaid = useEffectEvent(() => paid?.())
  useEffect(() => {
    if (isPaid) onPaid()
  }, [isPaid])
}

/** Focuses the refused field if the caller has set the ref, which it does when it sends the input. */
function useRefusalFocus(
  form: RefObject<HTMLFormElement | null>,
  refusal: CheckoutValue['refusal'],
): RefObject<boolean> {
  const isSent = useRef(false)
  useEffect(() => {
    if (refusal !== undefined && isSent.current) focusRefused(form.current)
    isSent.current = false
  }, [form, refusal])
  return isSent
}
