import type { ReactNode } from 'react'
import type { IconName } from './icons.tsx'
import { Icon } from './icons.tsx'
import { isServedHere } from './served.ts'

interface ButtonProps {
  readonly children: ReactNode
  readonly kind?: 'primary' | 'secondary' | 'quiet' | 'danger'
  readonly type?: 'submit' | 'button'
  /** True to show a spinner in place of the label. The size stays. */
  readonly working?: boolean
  /** True for a button that cannot be pressed, but keeps the focus and stays readable. */
  readonly blocked?: boolean
  readonly icon?: IconName
  /** A longer accessible name, for a button whose text is not enough. It begins with the text. */
  readonly name?: string
  readonly onClick?: () => void
}

export const Button = ({
  children,
  kind = 'primary',
  type = 'button',
  working = false,
  blocked = false,
  icon,
  name,
  onClick,
}: ButtonProps) => (
  <button
    className={`button button-${kind}`}
    type={type}
    aria-disabled={working || blocked}
    aria-busy={working}
    aria-label={name}
    onClick={(event) => {
      if (working || blocked) event.preventDefault()
      else onClick?.()
    }}
  >
    <span className="button-label">
      {icon === undefined ? null : <Icon name={icon} size={18} />}
      {children}
    </span>
    {working ? <span className="spinner" aria-hidden="true" /> : null}
  </button>
)

interface LinkButtonProps {
  readonly href: string
  readonly children: ReactNode
  readonly kind?: 'primary' | 'secondary'
  /** Called in addition to following the link. */
  readonly onClick?: () => void
}

export const LinkButton = ({ href, children, kind = 'primary', onClick }: LinkButtonProps) => (
  <a className={`button button-${kind}`} href={href} onClick={onClick}>
    <span className="button-label">{children}</span>
  </a>
)

/** The first letters of the first and the last word. */
const initials = (name: string) => {
  const words = name.trim().split(/\s+/)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '')
  return letters.join('').toLocaleUpperCase() || '?'
}

export const Avatar = ({ name, size = 'small' }: { readonly name: string; readonly size?: 'small' | 'large' }) => (
  <span className={`avatar avatar-${size}`} aria-hidden="true">
    {initials(name)}
  </span>
)

interface AppTileProps {
  readonly name: string
  /** Address of the logo. It is shown only if it is on this server, because nothing is loaded from elsewhere. */
  readonly logo?: string | null | undefined
  readonly size?: 'small' | 'large'
}

/** The picture of an application or organization: its logo, or else its first letter. It needs no text, because the name is beside it. */
export const AppTile = ({ name, logo = null, size = 'small' }: AppTileProps) =>
  logo !== null && isServedHere(logo) ? (
    <img className={`app-tile app-tile-${size} app-tile-logo`} src={logo} alt="" />
  ) : (
    <span className={`app-tile app-tile-${size}`} aria-hidden="true">
      {[...name.trim()][0]?.toLocaleUpperCase() ?? '?'}
    </span>
  )

export const Badge = ({
  tone,
  icon,
  children,
}: {
  readonly tone: 'good' | 'warn' | 'bad' | 'new' | 'plain'
  readonly icon?: IconName
  readonly children: ReactNode
}) => (
  <span className={`badge badge-${tone}`}>
    {icon === undefined ? null : <Icon name={icon} size={13} />}
    {children}
  </span>
)

export type Tone = 'bad' | 'wait' | 'good'
const toneIcons: Readonly<Record<Tone, IconName>> = { bad: 'alert', wait: 'clock', good: 'check' }

export const Notice = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <div className={`notice notice-${tone}`}>
    <Icon name={toneIcons[tone]} size={18} />
    <p>{children}</p>
  </div>
)
