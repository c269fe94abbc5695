import type { ReactNode } from 'react'
import { Failure } from '../shared/failure.tsx'
import { PageSkeleton } from '../shared/page.tsx'
import { SettingsForm } from './form.tsx'
import { useSettings } from './use-settings.ts'

/** Loads all settings, and provides them to the fields inside. */
export const WithSettings = ({ children, isPage = true }: { readonly children: ReactNode; readonly isPage?: boolean }) => {
  const { data, error, refetch } = useSettings()
  if (data === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage={isPage} onRetry={() => void refetch()} />
  return <SettingsForm answer={data}>{children}</SettingsForm>
}
