import { lazy } from 'react'
import type { SocialButtonsProps } from './buttons.tsx'

const SocialButtons = lazy(() => import('./buttons.tsx').then(({ SocialButtons }) => ({ default: SocialButtons })))

/** The identity providers one can go on with; nothing, and nothing loaded, where there are none. */
export const Providers = (props: SocialButtonsProps) => (props.providers.length === 0 ? null : <SocialButtons {...props} />)
