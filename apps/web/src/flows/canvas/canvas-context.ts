import { createContext, useContext } from 'react'
import type { PortRef } from '@farebox/flows/document/flow'
import type { PortView } from '../view/views.ts'

/** What nodes and ports ask of the canvas that they are on. */
export interface CanvasActions {
  /** Opens what a step does and is fed by, beside the element. */
  openStep(id: string, beside: Element): void
  /** Opens the value of one input. */
  openValue(to: PortRef, beside: Element): void
  /** A port was pressed by the keyboard: its wire is taken up, or the one that is carried is joined. */
  pressPort(id: string, port: PortView): void
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
