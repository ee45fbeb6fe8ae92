import { useEffect, useState } from 'react'

/** Long enough that the second click of a slow double click does not place a second order. */
const RESTING_MS = 1_500

/** True for a moment after `isTrue` has become true. */
export function useRest(isTrue: boolean): boolean {
  const [hadRest, setRested] = useState(isTrue)
  useEffect(() => {
    if (!isTrue) return setRested(false)
    const timer = setTimeout(() => setRested(true), RESTING_MS)
    return () => clearTimeout(timer)
  }, [isTrue])
  return isTrue && !hadRest
}
