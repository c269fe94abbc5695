import { MantineProvider } from '@mantine/core'
import { Notifications } from '@mantine/notifications'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Fragment, lazy, Suspense, useCallback, useState } from 'react'
import { BrowserRouter, Navigate, Route, Routes, useLocation } from 'react-router'
import { ApiError } from '../../src/http/client.ts'
import type { ConsoleCatalogue } from '../shared/i18n.ts'
import { useI18n } from '../shared/text.tsx'
import type { Access, ConsoleApi, ConsoleValue } from './api.ts'
import { ConsoleContext } from './api.ts'
import { usePreferences } from './appearance.ts'
import type { Screen } from './groups.ts'
import { groups, visibleGroups } from './groups.ts'
import { guesses } from './guesses.ts'
import { Denied } from './shared/denied.tsx'
import { PageSkeleton } from './shared/page.tsx'
import { ScreenBoundary } from './shared/screen-boundary.tsx'
import { useLater } from './shared/use-later.ts'
import { ConsoleFrame } from './shell/frame.tsx'
import { NotFound } from './shell/not-found.tsx'
import { Shell } from './shell/shell.tsx'
import { Wait } from './shell/wait.tsx'
import { noVariables, theme } from './theme.ts'

/** The screen shown in place of one that the person may not open. Its code is loaded when it is first needed. */
const NoAccess = lazy(() => import('./shell/no-access.tsx').then(({ NoAccess }) => ({ default: NoAccess })))

/** How often at most a read is repeated after the status 429. Each repetition waits until the server's rate limit allows it. */
const mostWaits = 3

const isWait = (error: unknown): error is ApiError => error instanceof ApiError && error.status === 429

const createClient = (api: ConsoleApi, onWait: (until: number) => void) =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        // ETags are stored by the identity of the response object. Structural sharing would replace that object by a merged copy without
        // an ETag.
        structuralSharing: false,
        // Most refused reads would be refused again, so only two kinds of failed reads are repeated: reads over the server's rate limit,
        // and reads without a response.
        retry: (count, error) =>
          isWait(error)
            ? count < mostWaits
            : count < 1 && error instanceof ApiError && (error.status === 0 || error.status >= 502),
        retryDelay: (_, error) => {
          if (!isWait(error)) return 1_000
          const ms = (api.hosted.retryAfterSeconds() ?? 1) * 1_000
          onWait(Date.now() + ms)
          return ms
        },
      },
    },
  })

interface LazyScreenProps {
  readonly load: Screen['load']
  readonly texts: readonly (ConsoleCatalogue | undefined)[]
}

/** Shows a screen whose code and texts are fetched together when the screen is first opened. */
const LazyScreen = ({ load, texts }: LazyScreenProps) => {
  const { pathname } = useLocation()
  const Component = useLater(load, ...texts)
  return (
    <ScreenBoundary key={pathname}>
      <Suspense fallback={<PageSkeleton />}>
        <Component />
      </Suspense>
    </ScreenBoundary>
  )
}

const screenRoutes = (access: Access) =>
  groups.flatMap((group) =>
    group.screens.flatMap(({ path, permission, load, texts = [], details = [] }) =>
      [{ path, load }, ...details].map((address) => (
        <Route
          key={address.path}
          path={address.path}
          element={
            access.permissions.includes(permission) ? (
              <LazyScreen key={address.path} load={address.load} texts={[group.texts, ...texts]} />
            ) : (
              <Denied permission={permission} />
            )
          }
        />
      )),
    ),
  )

/** Notifications in a corner of the screen. They are not in a portal, because all content has to be inside a landmark. */
const Toasts = () => (
  <section aria-label={useI18n().t('console.notifications')}>
    <Notifications position="bottom-right" withinPortal={false} />
  </section>
)

/** Stores the elements that stay beside the screens when the address changes, such as the report of a bulk action. */
const useStaying = () => {
  const [staying, setStaying] = useState<readonly { readonly key: number; readonly element: ReactNode }[]>([])
  const stay: ConsoleValue['stay'] = (show) =>
    setStaying((before) => {
      const key = (before.at(-1)?.key ?? 0) + 1
      const leave = () => setStaying((now) => now.filter((one) => one.key !== key))
      return [...before, { key, element: show(leave) }]
    })
  return { stay, staying }
}

interface AppProps {
  readonly api: ConsoleApi
  readonly access: Access
  readonly site: string
}

const Screens = ({ access }: Pick<AppProps, 'access'>) => {
  const first = visibleGroups(access.permissions)[0]?.screens[0]
  if (first === undefined)
    return (
      <Suspense fallback={<ConsoleFrame />}>
        <NoAccess />
      </Suspense>
    )
  return (
    <Shell>
      <Routes>
        <Route path="/admin" element={<Navigate to={first.path} replace />} />
        {screenRoutes(access)}
        {Object.entries(guesses).map(([guess, path]) => (
          <Route key={guess} path={guess} element={<Navigate to={path} replace />} />
        ))}
        <Route path="*" element={<NotFound />} />
      </Routes>
    </Shell>
  )
}

/** The console: it provides the libraries and the data about the person, and shows the screen of the current address. */
export const App = ({ api, access, site }: AppProps) => {
  const [until, setUntil] = useState<number>()
  const [client] = useState(() => createClient(api, setUntil))
  const endWait = useCallback(() => setUntil(undefined), [])
  const { isDark } = usePreferences()
  const { stay, staying } = useStaying()
  const screens = new Set(visibleGroups(access.permissions).flatMap((group) => group.screens.map(({ path }) => path)))
  return (
    <MantineProvider
      theme={theme}
      forceColorScheme={isDark ? 'dark' : 'light'}
      withCssVariables={false}
      withGlobalClasses={false}
      cssVariablesResolver={noVariables}
    >
      <QueryClientProvider client={client}>
        <ConsoleContext value={{ api, access, site, screens, stay }}>
          <BrowserRouter>
            <Screens access={access} />
            {until === undefined ? null : <Wait key={until} until={until} onEnd={endWait} />}
            <div className="staying">
              {staying.map(({ key, element }) => (
                <Fragment key={key}>{element}</Fragment>
              ))}
            </div>
          </BrowserRouter>
          <Toasts />
        </ConsoleContext>
      </QueryClientProvider>
    </MantineProvider>
  )
}
