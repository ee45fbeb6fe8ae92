import type { ReactNode } from 'react'
import { groupDigits, missingDecimals } from '../format/amount.ts'

/** An amount of USDC, exactly as the API has it. In a column: with zeros for the decimals that it lacks. */
export function Amount({ of, decimals }: { readonly of: string; readonly decimals?: number }): ReactNode {
  const ghost = decimals === undefined ? '' : missingDecimals(of, decimals)
  return (
    <>
      {groupDigits(of)}
      {ghost !== '' && (
        <span className="ghost" aria-hidden="true">
          {ghost}
        </span>
      )}
    </>
  )
}
