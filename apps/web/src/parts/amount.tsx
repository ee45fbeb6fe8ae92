import type { ReactNode } from 'react'
import { groupDigits, missingDecimals } from '../format/amount.ts'

/** An amount of USDC, exactly as in the API. In a column it is padded with zeros to `decimals`. */
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
