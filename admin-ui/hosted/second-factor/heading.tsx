import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'

interface StepHeadingProps {
  readonly title: string
  readonly children?: ReactNode
  /** True if this step has replaced another step on the page. The heading then takes the focus, so that it is read out. */
  readonly focused?: boolean
}

/** The title of a step. One page can show several steps, one after another. */
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
