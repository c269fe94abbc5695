import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'

interface StepHeadingProps {
  readonly title: string
  readonly children?: ReactNode
  /** True if it replaces something else: it takes the focus and is read out. */
  readonly focused?: boolean
}

/** The title of a step, which may follow another on the same page. */
export const StepHeading = ({ title, children, focused = true }: StepHeadingProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (focused) heading.current?.focus()
  }, [focused])
  return (
    <div className="heading">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children === undefined ? null : <p className="lead">{children}</p>}
    </div>
  )
}
