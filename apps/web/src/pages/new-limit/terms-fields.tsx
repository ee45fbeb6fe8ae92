import { useState, type ReactNode } from 'react'
import { withCents } from '../../format/amount.ts'
import { formatIsoDay } from '../../format/time.ts'
import type { TypedTerms } from '../../limits/check-limit-terms.ts'
import type { SpendDeclaration } from '../../limits/spend-declaration.ts'
import type { NewLimit } from './use-new-limit.ts'

/** The fields of the terms: amount per transfer, total, end. A refusal is shown at its field. */
export function TermsFields(props: {
  readonly declared: SpendDeclaration
  readonly limit: NewLimit
  readonly isHeld: boolean
  /** Whether the button was pressed. */
  readonly isTried: boolean
}): ReactNode {
  const { declared, limit, isHeld, isTried } = props
  const { before } = limit
  return (
    <>
      <TermField name="each" label="Each time, up to" limit={limit} isHeld={isHeld} isTried={isTried}>
        {declared.mostAtomic !== undefined && `below ${withCents(declared.mostAtomic)}`}
      </TermField>
      <TermField name="all" label="In total, up to" limit={limit} isHeld={isHeld} isTried={isTried}>
        {before !== undefined && before.spent !== '0' && `${withCents(before.spent)} already spent`}
      </TermField>
      <TermField name="until" label="Until" limit={limit} isHeld={isHeld} isTried={isTried}>
        the end of {formatIsoDay(limit.typed.until) ?? 'that day'}
      </TermField>
    </>
  )
}

function TermField(props: {
  readonly name: keyof TypedTerms
  readonly label: string
  readonly limit: NewLimit
  readonly isHeld: boolean
  readonly isTried: boolean
  readonly children: ReactNode
}): ReactNode {
  const { name, label, limit, isHeld, isTried, children } = props
  const [isLeft, setLeft] = useState(false)
  const refusal = limit.refusals[name]
  // A refusal is hidden while the reader types; pressing the button shows all refusals.
  const isShown = refusal !== undefined && (isLeft || isTried)
  const id = `limit-${name}`
  return (
    <div className="field">
      <label className="label" htmlFor={id}>
        <b>{label}</b>
        <span className="end">{children}</span>
      </label>
      <input
        id={id}
        className={name === 'until' ? 'input' : 'input num'}
        type={name === 'until' ? 'date' : 'text'}
        inputMode={name === 'until' ? undefined : 'decimal'}
        autoComplete="off"
        maxLength={name === 'until' ? undefined : 40}
        value={limit.typed[name]}
        readOnly={isHeld}
        aria-invalid={isShown}
        aria-describedby={isShown ? `${id}-refusal` : undefined}
        onChange={event => limit.type({ [name]: event.target.value })}
        onBlur={() => setLeft(true)}
      />
      {isShown && (
        <p className="hint bad" id={`${id}-refusal`} role="alert">
          <bdi>
            {label.split(',')[0]}: {refusal}
          </bdi>
        </p>
      )}
    </div>
  )
}
