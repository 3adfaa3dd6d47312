#include "host/report/document/executions.hpp"

#include <algorithm>

#include "host/report/layout.hpp"
#include "host/report/words/finding_words.hpp"
#include "host/report/words/object_words.hpp"
#include "host/report/words/step_words.hpp"
#include "host/report/words/timeline_words.hpp"

namespace raddle {
namespace {

const ThreadLine* line_of(const Failure& failure, ThreadId id) {
  for (const ThreadLine& line : failure.threads) {
    if (line.id == id) return &line;
  }
  return nullptr;
}

void add_thread(DocumentExecution& execution, ThreadId id, const std::string& title,
                const ThreadLine* line) {
  for (const DocumentThread& known : execution.threads) {
    if (known.id == id) return;
  }
  DocumentThread thread{id, title, {}, {}};
  if (line != nullptr) {
    thread.doing = doing_words(line->doing);
    thread.stack = line->stack;
  }
  execution.threads.push_back(std::move(thread));
}

void sort_threads(DocumentExecution& execution) {
  std::ranges::sort(execution.threads, {}, [](const DocumentThread& one) { return raw(one.id); });
}

}  // namespace

DocumentExecution execution_of(const Timeline& timeline, const Failure& failure) {
  if (timeline.empty()) return execution_of(failure);
  DocumentExecution execution;
  execution.left_out = timeline.left_out;
  for (const ExplainedThread& thread : timeline.threads) {
    add_thread(execution, thread.id, thread_title(thread.id, thread.name),
               line_of(failure, thread.id));
  }
  for (const ThreadLine& line : failure.threads)
    add_thread(execution, line.id, thread_title(line.id, line.name), &line);
  sort_threads(execution);
  for (const TimelineEvent& event : timeline.events) {
    DocumentStep step;
    step.thread = event.thread;
    step.step = static_cast<Step>(event.step);
    step.what = timeline_words(event);
    step.where = event.where;
    step.object = event.object;
    step.stack = event.stack;
    step.explains = event.explains;
    step.violates = event.violates;
    step.preempts = event.preempts;
    execution.steps.push_back(std::move(step));
  }
  for (const TimelineSpan& span : timeline.spans) {
    execution.spans.push_back(
        {span.thread, span.object, span.from, span.to, span.waits, span.shared, span.open});
  }
  for (const TimelineOrder& order : timeline.orders)
    execution.orders.push_back({order.from, order.to, timeline_order_text(order.kind)});
  return execution;
}

DocumentExecution execution_of(const Failure& failure) {
  DocumentExecution execution;
  for (const ThreadLine& line : failure.threads)
    add_thread(execution, line.id, thread_title(line.id, line.name), &line);
  sort_threads(execution);
  for (const auto& [thread, step] : merged_steps(failure)) {
    DocumentStep made;
    made.thread = thread->id;
    made.step = static_cast<Step>(step->step);
    made.what = step_words(*step);
    made.where = step->where;
    made.object = brief_object_words(step->object);
    execution.steps.push_back(std::move(made));
  }
  return execution;
}

DocumentExecution execution_of(const FindingStory& story) {
  DocumentExecution execution;
  for (const StoryStep& step : story.steps) {
    DocumentStep made;
    made.thread = step.thread;
    made.step = static_cast<Step>(step.step);
    made.what = finding_step_words(step);
    made.where = step.where;
    made.object = step.object;
    made.stack = step.stack;
    made.explains = true;
    execution.steps.push_back(std::move(made));
    add_thread(execution, step.thread, step.thread_name, nullptr);
  }
  sort_threads(execution);
  return execution;
}

}  // namespace raddle
