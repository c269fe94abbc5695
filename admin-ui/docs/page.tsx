import { useEffect, useRef, useState } from 'react'
import { Icon } from '../shared/icons.tsx'
import { type Signs, Wordmark } from '../shared/logo.tsx'
import type { ApiDocument, Operation } from './document.ts'
import { matchesSearch, operationsOf } from './document.ts'
import { OperationDetails } from './operation.tsx'
import { Method, Prose } from './parts.tsx'

const overview = 'overview'

const idOfAddress = () => location.hash.slice(1) || overview

/** The operation that the fragment of the address names. `hasNavigated` is true if the address has changed since the page was opened. */
const useAddress = () => {
  const [address, setAddress] = useState({ id: idOfAddress(), hasNavigated: false })
  useEffect(() => {
    const update = () => setAddress({ id: idOfAddress(), hasNavigated: true })
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  return address
}

interface NavigationProps {
  readonly document: ApiDocument
  readonly operations: readonly Operation[]
  readonly current: string
}

const Navigation = ({ document, operations, current }: NavigationProps) => {
  const [search, setSearch] = useState('')
  const found = operations.filter((operation) => matchesSearch(operation, search.trim()))
  const groups = document.tags
    .map(({ name }) => ({ name, operations: found.filter(({ tag }) => tag === name) }))
    .filter((group) => group.operations.length > 0)
  return (
    <div className="api-side">
      <search className="field api-search">
        <div className="field-box">
          <Icon name="search" size={18} />
          <input
            type="search"
            aria-label="Search operations"
            placeholder="Path, name, error code"
            autoComplete="off"
            onChange={({ currentTarget }) => setSearch(currentTarget.value)}
          />
        </div>
      </search>
      <p className="api-found" role="status">
        {search.trim() === '' ? '' : `${found.length} of ${operations.length} operations`}
      </p>
      <nav aria-label="Operations">
        <a className="api-link" href="#overview" aria-current={current === overview ? 'page' : undefined}>
          Overview
        </a>
        {groups.map(({ name, operations: listed }) => (
          <div key={name} className="api-group">
            <h2 id={`group ${name}`.replaceAll(' ', '-')}>{name}</h2>
            <ul aria-labelledby={`group ${name}`.replaceAll(' ', '-')}>
              {listed.map(({ operationId, method, path, summary }) => (
                <li key={operationId}>
                  <a className="api-link" href={`#${operationId}`} aria-current={current === operationId ? 'page' : undefined}>
                    <span>{summary}</span>
                    <span className="api-link-path">
                      <Method method={method} /> <code>{path}</code>
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </nav>
    </div>
  )
}

const Overview = ({ document }: { readonly document: ApiDocument }) => {
  const cookie = Object.values(document.components.securitySchemes ?? {}).find(({ type }) => type === 'apiKey')?.name
  return (
    <>
      <Prose text={document.info.description ?? ''} />
      <section className="api-part" aria-labelledby="authentication">
        <h2 id="authentication">Authentication</h2>
        <Prose
          text={`A browser sends the session cookie${cookie === undefined ? '' : ` \`${cookie}\``}. A program sends the session token that signing in returns, as \`Authorization: Bearer\`.`}
        />
      </section>
      <section className="api-part" aria-labelledby="error-format">
        <h2 id="error-format">Errors</h2>
        <Prose text="An error is JSON: a stable `code`, a `message` for programmers, and `issues` where fields are wrong. Each operation lists its codes with their status." />
      </section>
      <section className="api-part" aria-labelledby="download">
        <h2 id="download">For tools</h2>
        <p className="api-prose">
          <a href="/openapi.json">The OpenAPI 3.1 document</a>, for generators of clients and for other viewers.
        </p>
      </section>
    </>
  )
}

/** The operator's name and logo. */
export interface Brand extends Signs {
  readonly name: string
}

interface ApiDocsProps {
  readonly document: ApiDocument
  readonly brand: Brand | undefined
}

/**
 * Shows the OpenAPI document as an overview and a page for each operation. The page of an operation is at `#` and the operation id. All
 * text is English, like the document.
 */
export const ApiDocs = ({ document: api, brand }: ApiDocsProps) => {
  const { id, hasNavigated } = useAddress()
  const [operations] = useState(() => operationsOf(api))
  const heading = useRef<HTMLHeadingElement>(null)
  const operation = operations.find(({ operationId }) => operationId === id)
  const title = operation?.summary ?? (id === overview ? 'API reference' : 'No such operation')
  useEffect(() => {
    window.document.title = `${title} · ${api.info.title}`
    if (!hasNavigated) return
    heading.current?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [title, hasNavigated, api])
  return (
    <div className={id === overview ? 'api-page' : 'api-page api-page-operation'}>
      <header className="api-brand">
        <Wordmark name={brand?.isNamed === true ? brand.name : api.info.title} brand={brand} />
        <span className="api-version">{api.info.version}</span>
      </header>
      <main className="api-main">
        <a className="api-back" href="#overview">
          <Icon name="back" size={18} />
          All operations
        </a>
        {operation === undefined ? null : <p className="api-tag">{operation.tag}</p>}
        <h1 ref={heading} tabIndex={-1} className="break">
          {title}
        </h1>
        {operation !== undefined ? <OperationDetails key={id} document={api} operation={operation} /> : null}
        {id === overview ? <Overview document={api} /> : null}
      </main>
      <Navigation document={api} operations={operations} current={id} />
    </div>
  )
}
