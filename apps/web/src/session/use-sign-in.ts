import { writeSignInMessage } from '@farebox/platform-api/internal/me/sign-in-message'
import type { SignInTerms } from '@farebox/platform-api/owners'
import { useCallback, useEffect, useState } from 'react'
import { checksumAddress } from '../format/address.ts'
import { answers } from '../site/answers.ts'
import { ApiFailure } from '../site/ask.ts'
import { useSite } from '../site/site.ts'
import { WalletProblem, type Wallet } from '../wallet/wallet.ts'

/** A sign-in on its way. */
export interface SignIn {
  /** The whole text that the wallet is asked to sign; undefined: not known yet. */
  readonly message: string | undefined
  readonly isSigning: boolean
  /** What went wrong last, in a sentence. */
  readonly problem: string | undefined
  /** Asks the wallet; resolves to whether its owner is signed in. */
  sign(): Promise<boolean>
  /** Asks the platform anew for what to sign. */
  again(): void
}

/** The terms are good for five minutes; after so long they are asked for again. */
const TERMS_MS = 240_000

/** Signs a wallet's owner in (EIP-4361): the session is a cookie that no script reads. */
export function useSignIn(wallet: Wallet | undefined): SignIn {
  const { ask } = useSite()
  const [terms, setTerms] = useState<SignInTerms>()
  const [isSigning, setSigning] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [round, setRound] = useState(0)
  const address = wallet?.address
  const again = useCallback(() => setRound(before => before + 1), [])

  useEffect(() => {
    if (address === undefined) return undefined
    const aborter = new AbortController()
    setTerms(undefined)
    ask('/v1/sessions/nonces', answers.signInTerms, { method: 'POST', signal: aborter.signal }).then(
      setTerms,
      (error: unknown) => {
        if (!aborter.signal.aborted) setProblem(explain(error))
      },
    )
    const timer = setTimeout(again, TERMS_MS)
    return () => {
      aborter.abort()
      clearTimeout(timer)
    }
  }, [ask, address, round, again])

  const message =
    terms === undefined || address === undefined
      ? undefined
      : writeSignInMessage(terms, checksumAddress(address))
  const sign = async (): Promise<boolean> => {
    if (wallet === undefined || message === undefined) return false
    setSigning(true)
    setProblem(undefined)
    try {
      const signature = await wallet.signMessage(message)
      await ask('/v1/sessions', answers.none, { method: 'POST', body: { message, signature } })
      return true
    } catch (error) {
      setProblem(explain(error))
      // What was signed may be used up.
      if (!(error instanceof WalletProblem)) again()
      return false
    } finally {
      setSigning(false)
    }
  }
  return {
    message,
    isSigning,
    problem,
    sign,
    again() {
      setProblem(undefined)
      again()
    },
  }
}

function explain(error: unknown): string {
  if (error instanceof WalletProblem) return `${error.message} You are not signed in.`
  if (error instanceof ApiFailure && /is not by the address/.test(error.message))
    return 'The wallet signed with a different account from the one shown here. In your wallet, switch to the account shown here and sign again.'
  return error instanceof ApiFailure
    ? `You are not signed in. ${error.message}`
    : 'You are not signed in. The wallet did not respond.'
}
