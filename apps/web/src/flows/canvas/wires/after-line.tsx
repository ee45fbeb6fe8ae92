import { getBezierPath, type EdgeProps } from '@xyflow/react'
import { memo, type ReactNode } from 'react'

/** What comes first, without handing a value on. */
export const AfterLine = memo(function AfterLine(props: EdgeProps): ReactNode {
  const { sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition } = props
  const [path] = getBezierPath({ sourceX, sourceY, targetX, targetY, sourcePosition, targetPosition })
  return <path className="after-line" d={path} />
})
