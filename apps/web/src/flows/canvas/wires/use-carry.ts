import type { PortRef } from '@farebox/flows/document/flow'
import { useCallback, useMemo, useState, type RefObject } from 'react'
import { sourcesFor, targetsFor, type Fit } from '../../view/fits.ts'
import { joinPorts } from '../../editor/edit-actions.ts'
import type { PortView } from '../../view/views.ts'
import { useEditor } from '../../editor/use-editor.ts'
import { findHandle, markFits, unmarkFits } from './mark-fits.ts'

/** A wire that is carried by the keyboard, from one port to those that fit. */
export interface Carried {
  readonly from: PortRef
  readonly side: 'in' | 'out'
  readonly fits: readonly Fit[]
  /** Which of the fitting ports it is held to. */
  readonly at: number
}

/** How a wire is drawn without a mouse. */
export interface Carry {
  readonly carried: Carried | undefined
  /** Takes up a wire, or joins the one that is carried. */
  press(id: string, port: PortView): void
  /** To the next port that fits, or the one before. */
  move(by: 1 | -1): void
  letGo(): void
  /** What is said of it to whoever hears the page. */
  readonly words: string
}

const GRADES = { same: 'same type', safe: 'converted automatically', lossy: 'may be rejected' } as const

/** Carries wires on a canvas. The port that a wire is held to has the focus, so that it is read out. */
export function useCarry(canvas: RefObject<HTMLElement | null>, show: (id: string) => void): Carry {
  const editor = useEditor()
  const [carried, setCarried] = useState<Carried>()
  const [words, setWords] = useState('')
  const focus = useCallback(
    (port: PortRef, side: 'in' | 'out') => {
      if (canvas.current === null) return
      findHandle(canvas.current, port, side)?.focus({ preventScroll: true })
      show(port.step)
    },
    [canvas, show],
  )
  const end = useCallback(
    (said: string) => {
      if (canvas.current !== null) unmarkFits(canvas.current)
      setCarried(undefined)
      setWords(said)
    },
    [canvas],
  )
  const take = useCallback(
    (id: string, port: PortView) => {
      const { graph } = editor.live.read()
      const from = { step: id, port: port.name }
      const fits = port.side === 'out' ? targetsFor(graph, from) : sourcesFor(graph, from)
      if (canvas.current !== null) markFits(canvas.current, from, port.side, fits)
      setCarried({ from, side: port.side, fits, at: -1 })
      setWords(
        fits.length === 0
          ? `No compatible ports for ${port.name}. Press A to add a compatible step, or Escape to cancel.`
          : `Wire at ${port.name} picked up. ${fits.length} ports are compatible. Use the arrow keys to choose a port, Enter to connect, A to add a step, or Escape to cancel.`,
      )
    },
    [canvas, editor],
  )
  return useMemo(
    () => ({
      carried,
      words,
      press(id, port) {
        const now = carried
        if (now === undefined) return take(id, port)
        const held = now.fits[now.at]
        const isHeld = held !== undefined && held.port.step === id && held.port.port === port.name
        if (!isHeld) return end('')
        const [from, to] = now.side === 'out' ? [now.from, held.port] : [held.port, now.from]
        joinPorts(editor, from, to)
        end(`Connected ${from.port} to ${to.port}, ${GRADES[held.grade]}.`)
        if (now.side === 'in') focus(now.from, 'in')
      },
      move(by) {
        const now = carried
        if (now === undefined || now.fits.length === 0) return
        const count = now.fits.length
        const at = now.at === -1 ? (by === 1 ? 0 : count - 1) : (now.at + by + count) % count
        const held = now.fits[at]
        if (held === undefined) return
        setCarried({ ...now, at })
        setWords(`${at + 1} of ${count}, ${GRADES[held.grade]}`)
        focus(held.port, now.side === 'out' ? 'in' : 'out')
      },
      letGo() {
        const now = carried
        if (now === undefined) return
        end('Wire canceled.')
        focus(now.from, now.side)
      },
    }),
    [carried, words, editor, end, focus, take],
  )
}
