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

/** Registers an application that signs people in. The person gives three answers. */
export const NewApplicationScreen = () => {
  const { isAllowed } = usePermission('clients:create')
  const [registered, setRegistered] = useState<Registered>()
  if (!isAllowed) return <Denied permission="clients:create" />
  return registered === undefined ? <NewApplicationForm onRegistered={setRegistered} /> : <Result {...registered} />
}
