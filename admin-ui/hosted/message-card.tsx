import type { ReactNode } from 'react'
import { useEffect, useRef } from 'react'
import type { IconName } from '../shared/icons.tsx'
import { Icon } from '../shared/icons.tsx'
import { Card } from './shell.tsx'

interface MessageCardProps {
  readonly icon: IconName
  readonly tone?: 'calm' | 'warn'
  readonly title: string
  readonly text: ReactNode
  readonly children?: ReactNode
  /** True if the card takes the place of a form. Its heading then takes the focus, so that it is read out. */
  readonly replacesForm?: boolean
}

/** A card with a message and links. */
export const MessageCard = ({ icon, tone = 'calm', title, text, children, replacesForm = false }: MessageCardProps) => {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (replacesForm) heading.current?.focus()
  }, [replacesForm])
  return (
    <Card>
      <span className={tone === 'warn' ? 'emblem emblem-warn' : 'emblem'}>
        <Icon name={icon} size={26} />
      </span>
      <div className="heading">
        <h1 ref={heading} tabIndex={replacesForm ? -1 : undefined}>
          {title}
        </h1>
        <p className="lead">{text}</p>
      </div>
      {children}
    </Card>
  )
}
