import { createContext, useCallback, useContext, useMemo } from 'react'
import type { PortRef } from '@farebox/flows/document/flow'
import type { PortView } from '../view/views.ts'
import type { OpenedPopover } from './canvas-popovers.tsx'

/** The actions that nodes and ports trigger on the canvas. */
export interface CanvasActions {
  /** Opens the settings and inputs of a step next to the element. */
  openStep(id: string, beside: Element): void
  /** Opens the value of one input next to the element. */
  openValue(to: PortRef, beside: Element): void
  /** Handles a key press on a port: picks up its wire, or joins the wire that is being carried. */
  pressPort(id: string, port: PortView): void
}

/** The actions of a canvas. The object stays the same while popovers open and close. */
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

/** Provides the canvas's actions to its nodes. */
export const CanvasProvider = CanvasContext.Provider

/** The actions of the canvas around a node. */
export function useCanvas(): CanvasActions {
  const actions = useContext(CanvasContext)
  if (actions === undefined) throw new Error('useCanvas outside of CanvasProvider')
  return actions
}

/** Whether the zoom is close enough for halos and tags. */
export const NearContext = createContext(true)
