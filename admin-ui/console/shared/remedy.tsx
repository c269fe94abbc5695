import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { placeOfCommand } from './command-place.ts'

/** The screen that has the same purpose as a command. Undefined if there is none, or if the person may not open it. */
export const useCommandPlace = (command: string | number | null | undefined) => {
  const { screens } = useConsole()
  const place = placeOfCommand(String(command ?? ''))
  return place !== undefined && screens.has(place.screen) ? place : undefined
}

interface RemedyLinkProps {
  readonly command: string | number | null | undefined
  /** What is shown if no screen has the same purpose as the command. */
  readonly otherwise: ReactNode
}

/** A link to the screen on which the person can do what the command of a remedy does. */
export const RemedyLink = ({ command, otherwise }: RemedyLinkProps) => {
  const { t } = useI18n()
  const { pathname, search } = useLocation()
  const place = useCommandPlace(command)
  if (place === undefined) return otherwise
  return place.to === pathname + search || place.to === pathname ? null : (
    <Link className="button button-secondary" to={place.to}>
      {t(place.label)}
    </Link>
  )
}
