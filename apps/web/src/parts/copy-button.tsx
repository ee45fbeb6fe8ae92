import { useEffect, useState, type ReactNode } from 'react'

/** Copies a text, and confirms it for a moment. */
export function CopyButton(props: {
  readonly text: () => string | Promise<string>
  readonly children: ReactNode
  readonly className?: string
}): ReactNode {
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return undefined
    const timer = setTimeout(() => setCopied(false), 1_600)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = (): void => {
    const write = async (): Promise<void> => {
      await navigator.clipboard.writeText(await props.text())
      setCopied(true)
    }
    write().catch(() => undefined)
  }
  return (
    <button type="button" className={props.className ?? 'button low'} onClick={copy}>
      <span aria-live="polite">{isCopied ? 'Copied' : props.children}</span>
    </button>
  )
}
