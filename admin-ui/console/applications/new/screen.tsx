import { useState } from 'react'
import { usePermission } from '../../api.ts'
import { Denied } from '../../shared/denied.tsx'
import type { Application } from '../parts.tsx'
import { NewApplicationForm } from './form.tsx'
import type { Framework } from './frameworks.ts'
import { Result } from './result.tsx'

export interface Registered {
  readonly application: Application
  readonly secret: string | null
  readonly framework: Framework
}

/** The screen that registers an application which signs people in. The person only enters a framework, a name and redirect URIs. */
export const NewApplicationScreen = () => {
  const { isAllowed } = usePermission('clients:create')
  const [registered, setRegistered] = useState<Registered>()
  if (!isAllowed) return <Denied permission="clients:create" />
  return registered === undefined ? <NewApplicationForm onRegistered={setRegistered} /> : <Result {...registered} />
}
