import { createContext, useCallback, useContext, useMemo } from 'react'
import type { PortRef } from '@farebox/flows/document/flow'
import type { PortView } from '../view/views.ts'
import type { OpenedPopover } from './canvas-popovers.tsx'

/** Actions of nodes and ports on the canvas around them. */
export interface CanvasActions {
  /** Opens the settings and inputs of a step, beside the element. */
  openStep(id: string, beside: Element): void
  /** Opens the value of one input. */
  openValue(to: PortRef, beside: Element): void
  /** A port was pressed by the keyboard: its wire is taken up, or the one that is carried is joined. */
  pressPort(id: string, port: PortView): void
}

/** The actions of a canvas, which stay the same object while popovers open and close. */
export function useCanvasActions(
  open: (popover: OpenedPopover) => void,
  pressPort: CanvasActions['pressPort'],
): CanvasActions {
  const openStep = useCallback(
    (id: string, beside: Element) => open({ kind: 'step', id, anchor: () => beside.getBoundingClientRect() }),
    [open],
  )
  const openValue = useCallback(
    (to: PortRef, beside: Element) =>
      open({ kind: 'value', to, anchor: () => beside.getBoundingClientRect() }),
    [open],
  )
  return useMemo(() => ({ openStep, openValue, pressPort }), [openStep, openValue, pressPort])
}

const CanvasContext = createContext<CanvasActions | undefined>(undefined)

/** Hands the canvas's actions down to its nodes. */
export const CanvasProvider = CanvasContext.Provider

/** The actions of the canvas around a node. */
export function useCanvas(): CanvasActions {
  const actions = useContext(CanvasContext)
  if (actions === undefined) throw new Error('useCanvas outside of CanvasProvider')
  return actions
}

/** Whether the canvas is seen near enough for halos and tags. */
export const NearContext = createContext(true)
