import { lazy } from 'react'
import type { SocialButtonsProps } from './buttons.tsx'

const SocialButtons = lazy(() => import('./buttons.tsx').then(({ SocialButtons }) => ({ default: SocialButtons })))

/** The sign-in providers. If there are none, nothing is loaded. */
export const Providers = (props: SocialButtonsProps) => (props.providers.length === 0 ? null : <SocialButtons {...props} />)
