import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'

interface StepHeadingProps {
  readonly title: string
  readonly children?: ReactNode
  /** True if the step replaces another one. The heading then takes the focus and is read out. */
  readonly focused?: boolean
}

/** The title of a step, which may follow another step on the same page. */
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
