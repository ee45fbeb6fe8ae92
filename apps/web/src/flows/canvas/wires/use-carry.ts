import type { PortRef } from '@farebox/flows/document/flow'
import { useMemo, useState, type RefObject } from 'react'
import { fitsFor, isSamePort, wireEnds, type FittingPort, type PortSide } from '../../view/fits.ts'
import { joinPorts } from '../../editor/edit-actions.ts'
import type { PortView } from '../../view/views.ts'
import { useEditor } from '../../editor/use-editor.ts'
import { findHandle, markFits, unmarkFits } from './mark-fits.ts'

/** A wire that is carried by the keyboard from one port to the ports that fit. */
export interface Carried {
  readonly from: PortRef
  readonly side: PortSide
  readonly fits: readonly FittingPort[]
  /** Index of the fitting port that the wire currently points at; -1 when there is none yet. */
  readonly at: number
}

/** Drawing a wire without a mouse. */
export interface Carry {
  readonly carried: Carried | undefined
  /** Picks up a wire, or joins the one that is carried. */
  press(id: string, port: PortView): void
  /** Moves the wire to the next port that fits, or to the previous one. */
  move(by: 1 | -1): void
  letGo(): void
  /** Announcement for screen readers of the last key's effect. */
  readonly words: string
}

const GRADE_WORDS = { same: 'same type', safe: 'converted automatically', lossy: 'may be rejected' } as const

/** Carries wires on a canvas. The port that the wire points at has the focus, so that screen readers announce it. */
export function useCarry(canvas: RefObject<HTMLElement | null>, show: (id: string) => void): Carry {
  const editor = useEditor()
  const [{ carried, words }, setState] = useState<Pick<Carry, 'carried' | 'words'>>(NOTHING_CARRIED)
  const { mark, unmark, focus } = usePortMarks(canvas, show)
  return useMemo(() => {
    const end = (said: string): void => {
      unmark()
      setState({ carried: undefined, words: said })
    }
    const take = (from: PortRef, side: PortSide): void => {
      const fits = fitsFor(editor.live.read().graph, from, side)
      mark(from, side, fits)
      setState({ carried: { from, side, fits, at: -1 }, words: describeTaken(from, fits.length) })
    }
    const join = ({ from: port, side, fits, at }: Carried, pressed: PortRef): void => {
      const held = fits[at]
      if (held === undefined || !isSamePort(held.port, pressed)) return end('')
      const [from, to] = wireEnds(port, side, held.port)
      joinPorts(editor, from, to)
      end(`Connected ${from.port} to ${to.port}, ${GRADE_WORDS[held.grade]}.`)
      if (side === 'in') focus(port, 'in')
    }
    return {
      carried,
      words,
      press(step, { name: port, side }) {
        if (carried === undefined) take({ step, port }, side)
        else join(carried, { step, port })
      },
      move(by) {
        if (carried === undefined) return
        const { fits, at, side } = carried
        const next = at === -1 && by === -1 ? fits.length - 1 : (at + by + fits.length) % fits.length
        const held = fits[next]
        if (held === undefined) return
        const said = `${next + 1} of ${fits.length}, ${GRADE_WORDS[held.grade]}`
        setState({ carried: { ...carried, at: next }, words: said })
        focus(held.port, side === 'out' ? 'in' : 'out')
      },
      letGo() {
        if (carried === undefined) return
        end('Wire canceled.')
        focus(carried.from, carried.side)
      },
    }
  }, [carried, words, editor, mark, unmark, focus])
}

const NOTHING_CARRIED = { carried: undefined, words: '' }

function describeTaken({ port }: PortRef, count: number): string {
  return count === 0
    ? `No compatible ports for ${port}. Press A to add a compatible step, or Escape to cancel.`
    : `Wire at ${port} picked up. ${count} ports are compatible. Use the arrow keys to choose a port, Enter to connect, A to add a step, or Escape to cancel.`
}

/** Marks and focuses the ports of a canvas. */
function usePortMarks(canvas: RefObject<HTMLElement | null>, show: (id: string) => void) {
  return useMemo(
    () => ({
      mark(from: PortRef, side: PortSide, fits: readonly FittingPort[]): void {
        if (canvas.current !== null) markFits(canvas.current, from, side, fits)
      },
      unmark(): void {
        if (canvas.current !== null) unmarkFits(canvas.current)
      },
      focus(port: PortRef, side: PortSide): void {
        if (canvas.current === null) return
        findHandle(canvas.current, port, side)?.focus({ preventScroll: true })
        show(port.step)
      },
    }),
    [canvas, show],
  )
}
