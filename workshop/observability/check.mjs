/**
 * Checks a Grafana dashboard against the types of @grafana/schema: node check.mjs DASHBOARD.JSON
 *
 * The dashboard becomes a TypeScript literal of Grafana's type, so that the compiler finds members that Grafana does not know
 * and values of the wrong type; the options of panels and queries, which the dashboard's type leaves open, are checked by
 * types of their own.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import ts from "typescript"

const dashboard = JSON.parse(readFileSync(process.argv[2], "utf8"))

const source = `
import type { Dashboard, DataQuery, Panel } from "@grafana/schema"
import type { FieldConfig, Options } from "@grafana/schema/dist/esm/raw/composable/timeseries/panelcfg/x/TimeSeriesPanelCfg_types.gen"

/** What is written in JSON for a value of T: enums are their values. */
type Json<T> = T extends string ? \`\${T}\` : T extends number | boolean | null | undefined ? T :
    T extends (infer U)[] ? Json<U>[] : T extends object ? { [K in keyof T]: Json<T[K]> } : T

export const dashboard: Json<Dashboard> = ${JSON.stringify(withoutPanels(dashboard))}
export const panels: Json<Panel>[] = ${JSON.stringify(dashboard.panels)}
export const options: Partial<Json<Options>>[] = ${JSON.stringify(dashboard.panels.map((panel) => panel.options ?? {}))}
export const custom: Partial<Json<FieldConfig>>[] =
    ${JSON.stringify(dashboard.panels.map((panel) => panel.fieldConfig?.defaults?.custom ?? {}))}
/** The package has no type of Prometheus' queries: what every query has, and what the dashboard needs of those. */
interface Query extends DataQuery { expr: string; legendFormat?: string; instant?: boolean }
export const queries: Json<Query>[] =
    ${JSON.stringify(dashboard.panels.flatMap((panel) => panel.targets.map(({ datasource, ...query }) => query)))}
`

/** The kinds of panels are a union that TypeScript tells apart by no member: they stand on their own. */
function withoutPanels({ panels, ...rest }) {
    const others = panels.filter((panel) => panel.type !== "timeseries")
    if (others.length > 0) throw new Error(`no types here for panels of type ${others.map((panel) => panel.type)}`)
    return rest
}

// Beside node_modules, where the compiler looks for the types.
const folder = mkdtempSync(join(import.meta.dirname, "node_modules", ".check-"))
try {
    const file = join(folder, "dashboard.ts")
    writeFileSync(file, source)
    const program = ts.createProgram([file], {
        strict: true,
        noEmit: true,
        skipLibCheck: true,
        target: ts.ScriptTarget.ESNext,
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        types: [],
    })
    const findings = ts.getPreEmitDiagnostics(program)
    for (const finding of findings) {
        console.error(ts.flattenDiagnosticMessageText(finding.messageText, "\n"))
        if (finding.file) console.error(`  at ${finding.file.text.slice(finding.start, finding.start + 80)}`)
    }
    if (findings.length > 0) process.exitCode = 1
    else console.log(`${dashboard.panels.length} panels, as @grafana/schema has them`)
} finally {
    rmSync(folder, { recursive: true })
}
