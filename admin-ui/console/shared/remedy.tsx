import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { useI18n } from '../../shared/text.tsx'
import { useConsole } from '../api.ts'
import { placeOfCommand } from './command-place.ts'

/** The screen that does the same as a command, if the person may open it. */
export const useCommandPlace = (command: string | number | null | undefined) => {
  const { screens } = useConsole()
  const place = placeOfCommand(String(command ?? ''))
  return place !== undefined && screens.has(place.screen) ? place : undefined
}

interface RemedyLinkProps {
  readonly command: string | number | null | undefined
  /** Replaces the link if there is no screen for the command. */
  readonly otherwise: ReactNode
}

/** A remedy as a link to its screen. */
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
