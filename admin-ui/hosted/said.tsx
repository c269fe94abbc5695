import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import type { IconName } from '../shared/icons.tsx'
import { Icon } from '../shared/icons.tsx'
import { Card } from './shell.tsx'

interface SaidProps {
  readonly icon: IconName
  readonly tone?: 'calm' | 'warn'
  readonly title: string
  readonly text: ReactNode
  readonly children?: ReactNode
  /** True when it takes the place of a form: it is then read out, and the keyboard goes on from here. */
  readonly isAnswer?: boolean
}

/** A page that says one thing and leads on. */
export const Said = ({ icon, tone = 'calm', title, text, children, isAnswer = false }: SaidProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (isAnswer) heading.current?.focus()
  }, [isAnswer])
  return (
    <Card>
      <span className={tone === 'warn' ? 'emblem emblem-warn' : 'emblem'}>
        <Icon name={icon} size={26} />
      </span>
      <div className="heading">
        <h1 ref={heading} tabIndex={isAnswer ? -1 : undefined}>
          {title}
        </h1>
        <p className="lead">{text}</p>
      </div>
      {children}
    </Card>
  )
}
